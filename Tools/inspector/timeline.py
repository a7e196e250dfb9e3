"""What the timeline must do besides explaining runs: arrows, keys, the wheel, and the filters of the list of events."""

import re

from desk import rows, until

TIMELINE = "inspector.views.timeline"
EXPLAINED = """[...inspector.client.history.runs.values()]
    .findLast((run) => run.end !== null && inspector.client.rows.has(run.store) && inspector.client.history.changeOf(run))"""


def the_timeline_draws_arrows_and_moves(desk):
    page = desk.live("#/timeline")
    until(page, f"{EXPLAINED} !== undefined", "no run was caused by a change")
    page.evaluate(f"""() => {{
        const painter = {TIMELINE}.painter;
        const draw = painter.arrow;
        globalThis.arrows = [];
        painter.arrow = function (...values) {{
            if (values.at(-1)) arrows.push(values.slice(1, 4).map((value) => Math.round(value)));
            return draw.apply(this, values);
        }};
        globalThis.explained = {EXPLAINED};
        inspector.go("timeline", "run", explained.number);
    }}""")
    until(page, f"{TIMELINE}.selected === explained", "the run is not selected")
    until(page, "inspector.client.history.changeOf(explained).runs.includes(explained)", "the change does not have its run")
    ends = f"""(() => {{
        const {{ painter }} = {TIMELINE};
        const change = inspector.client.history.changeOf(explained);
        return [Math.round(painter.x(change.t)), Math.round(painter.x(explained.start))];
    }})()"""
    drawn = f"arrows.some(([from, , to]) => from === {ends}[0] && to === {ends}[1])"
    until(page, drawn, "no arrow leads from the change to the selected run")

    canvas = page.get_by_role("application")
    canvas.focus()
    window = f"[{TIMELINE}.to, {TIMELINE}.span]"

    def moves(action, condition, message):
        before = page.evaluate(window)
        action()
        until(page, f"((from, to) => {condition})(argument, {window})", message, before)

    moves(lambda: page.keyboard.press("-"), "to[1] > from[1]", "minus does not zoom out")
    moves(lambda: page.keyboard.press("Shift+ArrowLeft"), "to[0] < from[0] && to[1] === from[1]", "no key moves to earlier times")
    moves(lambda: page.keyboard.press("Shift+ArrowRight"), "to[0] > from[0] && to[1] === from[1]", "no key moves to later times")
    canvas.hover()
    moves(lambda: page.mouse.wheel(-300, 0), "to[0] < from[0] && to[1] === from[1]", "the wheel does not move to earlier times")
    page.keyboard.down("Control")
    moves(lambda: page.mouse.wheel(0, -100), "to[1] < from[1]", "the wheel with Control does not zoom in")
    page.keyboard.up("Control")
    page.keyboard.press("0")
    all_events = f"{TIMELINE}.to - {TIMELINE}.span <= inspector.client.history.oldest && {TIMELINE}.to >= argument"
    until(page, all_events, "the key 0 does not show all events", page.evaluate("inspector.client.history.oldest + 1"))
    page.evaluate(f"{TIMELINE}.select(explained)")
    page.keyboard.press("Enter")
    path = page.evaluate("explained.path")
    page.locator(".pane").get_by_role("heading", name=path, exact=True).wait_for()


def the_list_of_events_is_filtered(desk):
    page = desk.live("#/timeline")
    page.get_by_role("radio", name="Events").click()
    rows(page, "Events").first.wait_for()
    shown = f"{TIMELINE}.log.list.items"
    for name, rule in {
        "Runs": "event.kind.startsWith('run')",
        "Changes": "event.kind === 'changed' || event.kind.startsWith('mutation')",
        "Failures": "Boolean(event.error)",
        "Others": "!/^(run|changed|mutation)/.test(event.kind)",
    }.items():
        page.get_by_role("radio", name=name, exact=True).click()
        kept = f"inspector.client.history.events.filter((event) => {rule}).length"
        every = f"{shown}.every((event) => {rule}) && ({shown}.length > 0 || {kept} === 0)"
        until(page, every, f"the filter {name} shows other events, or none")
    page.get_by_role("radio", name="All", exact=True).click()
    path = page.evaluate(f"{EXPLAINED}?.path ?? [...inspector.client.history.runs.values()][0].path")
    page.get_by_role("searchbox", name=re.compile("^Filter the timeline")).fill(path)
    until(page, f"{shown}.length > 0 && {shown}.every((event) => event.path.includes(argument))", "the text does not filter", path)
