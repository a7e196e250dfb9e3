"""What surrounds the runs of an app: limits, caches, alerts, failures and a manual clock."""

from desk import expect, until


def limits_caches_and_alerts_are_shown(desk):
    page = desk.live("#/runtime")
    known = "inspector.client.surroundings"
    until(page, f"{known}?.limits.some((each) => each.waitingCount > 0)", "no run waits in line")
    limits = page.get_by_role("table", name="Run limits")
    for pattern in page.evaluate(f"{known}.limits.map((each) => each.pattern)"):
        limits.get_by_role("row").filter(has_text=pattern).first.wait_for()
    limits.locator("summary", has_text="in line").first.wait_for()
    caches = page.evaluate(f"{known}.caches.map((each) => each.name)")
    expect(caches, "no cache is connected")
    for name in caches:
        page.get_by_role("table", name="Caches").get_by_role("row").filter(has_text=name).first.wait_for()

    page.evaluate("inspector.go('metrics')")
    alerts = "inspector.client.metrics?.alerts"
    shown = f"{alerts}?.length > 0 && {alerts}.every((text) => document.querySelector('.alerts').textContent.includes(text))"
    until(page, shown, "an alert is not shown, or there is none")


def a_failed_store_shows_its_error(desk):
    page = desk.live()
    until(page, "[...inspector.client.rows.values()].some((row) => row.error)", "no store has failed")
    page.get_by_role("radio", name="Failed").click()
    told = """[...inspector.client.rows.values()].some((row) => row.error && [...document.querySelectorAll(".list .row")].some(
        (each) => each.querySelector(".name").textContent === row.path && each.querySelector(".note").textContent.includes(row.error)
    ))"""
    until(page, told, "the row of a store that has failed does not show the error")
    failed = "[...inspector.client.history.runs.values()].findLast((run) => run.outcome === 'failure' && run.error)"
    until(page, f"{failed} !== undefined", "no run has failed")
    number, error = page.evaluate(f"[{failed}.number, {failed}.error]")
    page.evaluate("(number) => inspector.go('timeline', 'run', number)", number)
    page.locator(".details").get_by_text(error).first.wait_for()


def a_manual_clock_is_advanced(desk):
    page = desk.live("#/runtime")
    manual = "[...inspector.model.clients.values()].find((client) => client.surroundings?.clock.manual)"
    until(page, f"{manual} !== undefined", "no client has a manual clock")
    page.get_by_role("combobox", name="Client").select_option(label=page.evaluate(f"{manual}.name"))
    form = page.get_by_role("form", name="Advance the clock")
    form.get_by_label("Amount of time").fill("90")
    before = page.evaluate(f"{manual}.surroundings.clock.now")
    form.get_by_role("button", name="Advance").click()
    page.locator(".toast", has_text="Advanced the clock by 1 min 30 s.").wait_for()
    until(page, f"{manual}.surroundings.clock.now !== argument", "the clock of the client is not advanced", before)
    text = "document.querySelector('.card .large + .large, .card p.large:not(:has(.badge))')?.textContent"
    until(page, f"{text} === {manual}.surroundings.clock.now", "the page does not show the time of the clock")
