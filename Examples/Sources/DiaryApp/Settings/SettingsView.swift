#if canImport(SwiftUI)
    import FoodDiaryKit
    import Foundation
    import SwiftUI

    /// The energy goal, and the health of the diary.
    struct SettingsView: View {
        @Bindable var model: SettingsModel

        var body: some View {
            NavigationStack {
                Form {
                    if let problem = model.problem { Text(problem).foregroundStyle(.red) }
                    Section("Goal") {
                        Stepper(value: $model.goal, in: EnergyGoal.bounds, step: EnergyGoal.step) {
                            Text(Words.energy(Double(model.goal)))
                        }
                    }
                    if !model.notices.isEmpty {
                        Section("Recovered") {
                            ForEach(model.notices) { NoticeRows(notice: $0) }
                            Button("I have read this") { model.acknowledge() }
                        }
                    }
                    Section("Health") {
                        if let health = model.health { Text(Self.sentence(health.storage)) }
                        if let findings = model.findings { FindingRows(findings: findings) }
                        Button("Check the diary") { Task { await model.check() } }
                        if model.findings?.isSound == false {
                            Button("Repair") { Task { await model.repair() } }
                        }
                        if model.isChecking { ProgressView() }
                    }
                    .disabled(model.isChecking)
                }
                .navigationTitle("Settings")
            }
        }

        private static func sentence(_ storage: DiaryHealth.Storage) -> String {
            switch storage {
            case .sound: "The diary's file is sound."
            case .recovered: "The diary's file was damaged, and was recovered."
            case .replaced: "The diary's file was damaged and unreadable, and was replaced."
            case .inMemory(let reason): "The diary is only in memory and will be lost: \(reason)"
            }
        }
    }

    private struct NoticeRows: View {
        let notice: RecoveryNotice

        var body: some View {
            Text(Words.date(notice.date)).font(.headline)
            Text(notice.cause)
            if let file = notice.damagedFile { Text("The damaged file is kept: \(file)") }
            ForEach(notice.days) { day in
                LabeledContent(Words.day(day.day), value: "\(day.missingCount) missing")
            }
        }
    }

    /// What a check has found.
    private struct FindingRows: View {
        let findings: FoodDiaryCheck

        var body: some View {
            if findings.isSound {
                Label("Totals, counts and search are right.", systemImage: "checkmark.circle")
            } else {
                LabeledContent("Wrong totals", value: "\(findings.totals.count) days")
                LabeledContent("Wrong hours", value: "\(findings.hours.count) days")
                LabeledContent("Wrong counts", value: "\(findings.usage.count) ingredients")
                LabeledContent("Wrong in the search", value: "\(findings.index.count) ingredients")
            }
        }
    }

    struct SettingsView_Previews: PreviewProvider {
        static let notice = RecoveryNotice(
            date: .now,
            cause: "The file was damaged: a page could not be read.",
            damagedFile: "diary.sqlite.damaged-1",
            days: [.init(FoodDay(.now, in: .current), missing: 2)]
        )

        static var previews: some View {
            SampleView { SettingsView(model: $0.settings) }
            SampleView(doctor: SampleDoctor(DiaryHealth(.recovered, notices: [notice]))) {
                SettingsView(model: $0.settings)
            }
        }
    }
#endif
