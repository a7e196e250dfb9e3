#if canImport(SwiftUI)
    import SwiftUI

    /// A screen over a diary in memory, for previews. The screens follow the diary while it is
    /// filled.
    struct SampleView<Content: View>: View {
        private let days: Int
        private let sample: SampleDiary
        private let content: Content

        init(
            days: Int = 4,
            doctor: any DiaryDoctor = SampleDoctor(),
            @ViewBuilder content: (DiaryModels) -> Content
        ) {
            self.days = days
            sample = SampleDiary(doctor: doctor)
            self.content = content(DiaryModels(queryClient: sample.client))
        }

        var body: some View {
            // In memory, so it doesn't fail.
            content.task { [sample, days] in try? await sample.fill(days: days) }
        }
    }
#endif
