"""What the page of the inspector must do, as checks of a page in a browser. Each takes a `Desk` and fails with an AssertionError."""

import json
import pathlib
import re
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
VIEWS = ["stores", "timeline", "impact", "mutations", "runtime", "metrics"]
CONTROLS = {
    "button",
    "link",
    "textbox",
    "searchbox",
    "combobox",
    "radio",
    "checkbox",
    "grid",
    "treegrid",
    "dialog",
    "alertdialog",
    "application",
    "img",
    "image",
    "radiogroup",
    "navigation",
    "region",
    "spinbutton",
    "meter",
    "ComboBoxSelect",
    "SearchBox",
    "TextField",
    "Canvas",
}
SIZES = [(390, 800), (800, 900), (1040, 800), (1280, 800), (1600, 1000)]


class Desk:
    """Opens pages of one app in one browser, and remembers what they complained about."""

    def __init__(self, browser, app):
        self.browser = browser
        self.app = app
        self.problems = []
        self.contexts = []

    def open(self, hash="", width=1280, height=800, scheme="light", url=None):
        context = self.browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, accept_downloads=True)
        self.contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: self.problems.append(f"error: {error.stack or error}"))
        # A server that is down is part of the checks, and the browser logs each refused connection.
        page.on(
            "console",
            lambda message: (
                self.problems.append(f"console: {message.text}")
                if message.type in ("error", "warning") and "Failed to load resource" not in message.text
                else None
            ),
        )
        page.goto((url or self.app.url) + hash)
        return page

    def live(self, *arguments, **more):
        page = self.open(*arguments, **more)
        connected(page)
        page.wait_for_function("() => inspector.client?.rows.size > 0")
        return page

    def close(self):
        for context in self.contexts:
            context.close()
        self.contexts.clear()
        problems, self.problems = self.problems, []
        assert not problems, "\n".join(problems)


def connected(page, text="Live"):
    page.locator(".connection", has_text=text).wait_for()


def expect(condition, message):
    assert condition, message


def text_of(page, selector):
    return page.locator(selector).first.inner_text()


def rows(page, label="Stores"):
    return page.locator(f'.list[aria-label="{label}"] .row:visible')


def painted(page):
    """Returns after the page has drawn what came before."""
    page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")


def active_path(page):
    painted(page)
    return page.locator(".list .row.active .name").inner_text()


def logic(desk):
    page = desk.live()
    result = page.evaluate((HERE / "logic.js").read_text(encoding="utf-8"))
    expect(result["count"] >= 90, f"only {result['count']} comparisons ran")
    expect(not result["failures"], "\n".join(result["failures"]))


def the_list_shows_sorts_and_filters(desk):
    page = desk.live()
    total = page.evaluate("inspector.client.rows.size")
    grid = page.get_by_role("grid", name="Stores")
    expect(int(grid.get_attribute("aria-rowcount")) == total + 1, "the number of rows is not that of the stores")
    expect(rows(page).count() < 60, "the list has elements for rows out of view")
    page.get_by_role("button", name="Sort by Runs").click()
    header = page.get_by_role("columnheader", name="Sort by Runs")
    expect(header.get_attribute("aria-sort") == "ascending", "the heading does not tell the order")
    page.get_by_role("button", name="Sort by Path").click()
    grid.focus()
    page.keyboard.press("ArrowDown")
    first = active_path(page)
    page.keyboard.press("ArrowDown")
    expect(active_path(page) != first, "an arrow key does not move the active row")
    page.keyboard.press("End")
    page.locator(f'.list .row.active[aria-rowindex="{total + 1}"]').wait_for()
    page.get_by_role("radio", name=re.compile("^Observed")).click()
    shown = page.evaluate(
        "inspector.views.stores.list.items.every((row) => row.subscribers > 0) && inspector.views.stores.list.items.length > 0"
    )
    expect(shown, "the filter shows stores that nothing observes")


def the_tree_opens_and_closes(desk):
    page = desk.live()
    page.get_by_role("radio", name="Tree").click()
    tree = page.get_by_role("treegrid", name="Stores")
    tree.focus()
    page.keyboard.press("Home")
    for _ in range(page.evaluate("inspector.views.stores.list.items.findIndex((item) => item.group)")):
        page.keyboard.press("ArrowDown")
    group = page.locator(".list .row.active[aria-expanded]")
    group.wait_for()
    before = page.evaluate("inspector.views.stores.list.items.length")
    was_open = group.get_attribute("aria-expanded") == "true"
    page.keyboard.press("ArrowLeft" if was_open else "ArrowRight")
    page.wait_for_function(f"() => inspector.views.stores.list.items.length !== {before}")
    page.wait_for_function(
        f"() => document.querySelector('.list .row.active').getAttribute('aria-expanded') === '{str(not was_open).lower()}'"
    )


def the_search_finds_patterns_and_texts(desk):
    page = desk.live()
    path = page.evaluate("[...inspector.client.rows.values()].find((row) => row.elements.length > 1).path")
    first = path.split("/")[0]
    page.keyboard.press("/")
    page.keyboard.type(f"{first}/**")
    wanted = page.evaluate("(first) => [...inspector.client.rows.values()].filter((row) => row.elements[0] === first).length", first)
    page.locator(".found", has_text=re.compile(rf"^({wanted:,} of|{wanted:,} stores?)")).wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("searchbox", name=re.compile("^Search stores")).fill("no such store")
    page.get_by_text("No store matches").wait_for()


def the_page_of_a_store(desk):
    page = desk.live()
    row_id = desk.app.sample(page)
    path = page.evaluate("(id) => inspector.client.rows.get(id).path", row_id)
    page.get_by_role("searchbox", name=re.compile("^Search stores")).fill(path)
    rows(page).first.click()
    page.get_by_role("heading", name=path, exact=True).wait_for()
    for title in ["Value", "State", "What it read", "Runs"]:
        page.locator(".pane .section > summary > span:first-child", has_text=re.compile(f"^{title}$")).wait_for()
    expect(re.match("Ran because .*", text_of(page, ".pane .why")), "the page does not say why it ran")
    page.locator(".pane .tree").wait_for()
    page.get_by_role("radio", name="Changes").click()
    page.locator('.pane [data-part="value"] .changes, .pane [data-part="value"] .lines, .pane [data-part="value"] .hint').first.wait_for()
    expect(page.evaluate("document.activeElement.textContent") == "Changes", "the choice lost the focus")
    page.keyboard.press("Escape")
    page.locator(".pane").wait_for(state="hidden")
    expect(page.evaluate("document.activeElement.getAttribute('role')") == "grid", "the focus does not return to the list")
    page.go_back()
    page.get_by_role("heading", name=path, exact=True).wait_for()


def the_timeline_explains_runs(desk):
    page = desk.live()
    page.keyboard.press("2")
    page.wait_for_function("() => inspector.client.history.runs.size > 0")
    page.wait_for_function("() => inspector.views.timeline.painter.scene?.layout.rows.length > 0")
    drawn = page.evaluate("""() => { const canvas = document.querySelector(".canvas canvas");
        const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        const colors = new Set();
        for (let at = 0; at < data.length; at += 4) colors.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2]);
        return colors.size; }""")
    expect(drawn > 10, f"the lanes have only {drawn} colors")
    run = page.evaluate("""() => { const history = inspector.client.history; const runs = [...history.runs.values()];
        return (runs.findLast((run) => run.end !== null && history.changeOf(run)) ?? runs.findLast((run) => run.end !== null)).number; }""")
    page.evaluate("(run) => inspector.go('timeline', 'run', run)", run)
    why = text_of(page, ".details .why")
    expect(re.match("Ran because .+", why, re.DOTALL), f"the reason of a run is {why!r}")
    page.get_by_role("button", name="Follow").wait_for()
    chosen = "inspector.views.timeline.selected?.number"
    before = page.evaluate(chosen)
    canvas = page.get_by_role("application")
    canvas.focus()
    lanes = page.evaluate("inspector.views.timeline.layout.rows.filter((row) => row.lane?.runs.length).length")
    page.keyboard.press("ArrowUp")
    if page.evaluate(chosen) == before and lanes > 1:
        page.keyboard.press("ArrowDown")
        page.wait_for_function(f"() => {chosen} !== {before}")
    span = page.evaluate("inspector.views.timeline.span")
    page.keyboard.press("+")
    expect(page.evaluate("inspector.views.timeline.span") < span, "plus does not zoom in")
    page.keyboard.press("Space")
    page.get_by_role("button", name="Pause").wait_for()
    page.get_by_role("radio", name="Events").click()
    rows(page, "Events").first.wait_for()


def it_shows_what_would_change(desk):
    page = desk.live("#/impact")
    path = page.evaluate("[...inspector.client.rows.values()].find((row) => row.elements.length > 1).path")
    pattern = path.split("/")[0] + "/**"
    page.get_by_label("Pattern to invalidate").fill(pattern)
    summary = page.locator(".summary", has_text="would run now")
    summary.wait_for()
    running = int(summary.inner_text().split()[0].replace(",", ""))
    wanted = page.evaluate(
        "(first) => [...inspector.client.rows.values()].filter((row) => row.elements[0] === first && row.subscribers > 0).length",
        path.split("/")[0],
    )
    expect(running == wanted, f"{running} stores would run, but {wanted} are observed")
    before = page.evaluate("inspector.client.history.changes.size")
    page.get_by_role("button", name="Invalidate").click()
    page.locator(".toast", has_text="Invalidated").wait_for()
    page.wait_for_function(f"() => inspector.client.history.changes.size > {before}")
    page.get_by_role("radio", name="Table or region").click()
    region = page.evaluate(
        "inspector.session.get('/api/regions', { client: inspector.client.id }).then((answer) => (answer.regions ?? answer)[0])"
    )
    page.get_by_label("Table or region that changes").fill(region)
    page.locator(".summary", has_text="would run now").wait_for()


def actions_reach_the_app(desk):
    page = desk.live()
    row_id = desk.app.sample(page)
    page.evaluate("(id) => inspector.go('stores', id)", row_id)
    runs = page.evaluate("(id) => inspector.client.rows.get(id).runs", row_id)
    page.get_by_role("button", name="Refetch", exact=True).click()
    page.locator(".toast", has_text="Refetching").wait_for()
    page.wait_for_function("([id, runs]) => inspector.client.rows.get(id).runs > runs", arg=[row_id, runs])
    simulate = page.get_by_role("group", name="Simulate")
    simulate.get_by_role("button", name="Failure").click()
    page.locator(".pane .badge.failed").wait_for()
    page.locator(".pane .badge", has_text="simulated").wait_for()
    simulate.get_by_role("button", name="Restore").click()
    page.locator(".pane .badge", has_text="simulated").wait_for(state="detached")
    page.keyboard.press("5")
    page.get_by_role("button", name="Turn the network off").click()
    page.get_by_text("Simulated by the inspector.").wait_for()
    page.get_by_role("button", name="Use the real network again").click()
    page.get_by_text("Simulated by the inspector.").wait_for(state="detached")


def harsh_actions_ask_first(desk):
    page = desk.live("#/impact")
    row_id = page.evaluate("[...inspector.client.rows.values()].findLast((row) => row.subscribers === 0 && !row.isMutation).id")
    page.get_by_label("Pattern to invalidate").fill(page.evaluate("(id) => inspector.client.rows.get(id).path", row_id))
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.evaluate("(id) => inspector.client.rows.has(id)", row_id), "a cancelled action was done")
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    page.wait_for_function("(id) => !inspector.client.rows.has(id)", arg=row_id)


def mutations_and_metrics(desk):
    page = desk.live("#/mutations")
    for title in ["In flight, queued and paused", "Journal", "History"]:
        page.get_by_role("heading", name=title).wait_for()
    page.keyboard.press("6")
    page.get_by_role("rowheader").first.wait_for()
    label = page.locator(".figure canvas").first.get_attribute("aria-label")
    expect(label.startswith("Runs per second: "), f"a curve is named {label!r}")


def the_page_reconnects(desk):
    page = desk.live()
    session = page.evaluate("inspector.model.hello.session")
    rows(page).first.wait_for()
    desk.app.stop()
    connected(page, re.compile("Reconnecting|The app has stopped"))
    expect(rows(page).count() > 0, "the last state is not shown while the app is away")
    export(page)
    desk.app.start()
    if desk.app.has_new_token:
        page.get_by_text("The token of this page is not valid.").wait_for()
        page.get_by_label("New address of the inspector").fill(desk.app.url)
        page.get_by_role("button", name="Open", exact=True).click()
        connected(page)
    else:
        connected(page)
        page.get_by_text("The app was restarted.").wait_for()
    page.wait_for_function("(old) => inspector.model.hello.session !== old && inspector.client.rows.size > 0", arg=session)


def a_wrong_token_is_explained(desk):
    page = desk.open(url=re.sub("token=.*", "token=wrong", desk.app.url))
    body = page.content()
    if "inspector" not in body or page.locator("#app").count() == 0:
        return  # The server refuses the page itself.
    page.get_by_text("The token of this page is not valid.").wait_for()
    page.get_by_label("New address of the inspector").fill("http://example.com/?token=1")
    page.get_by_role("button", name="Open", exact=True).click()
    expect("wrong" in page.url, "the page followed an address outside of this machine")
    page.get_by_label("New address of the inspector").fill(desk.app.url)
    page.get_by_role("button", name="Open", exact=True).click()
    connected(page)


def export(page):
    page.locator("main").focus()
    with page.expect_download() as download:
        page.keyboard.press("e")
    return pathlib.Path(download.value.path()).read_text(encoding="utf-8")


def a_session_is_exported_and_opened(desk):
    page = desk.live()
    page.wait_for_function("() => inspector.client.samples.length > 0 && inspector.client.history.runs.size > 0")
    text = export(page)
    session = json.loads(text)
    expect(session["format"] == "querykit-session" and session["version"] == 1, "the file has another format")
    count = len(next(iter(session["stores"].values())))
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "session.json"
        file.write_text(text, encoding="utf-8")
        other = desk.live()
        other.locator("input[type=file]").set_input_files(str(file))
        connected(other, "Recorded session")
        expect(other.evaluate("inspector.client.rows.size") == count, "the file lost stores")
        expect(other.get_by_role("button", name="Refetch", exact=True).count() == 0, "a recorded session has actions")
        other.keyboard.press("2")
        other.wait_for_function("() => inspector.views.timeline.painter.scene?.layout.rows.length > 0")
        other.keyboard.press("6")
        other.get_by_role("rowheader").first.wait_for()
        file.write_text("[1]", encoding="utf-8")
        other.locator("input[type=file]").set_input_files(str(file))
        other.locator(".toast.error", has_text="not a session").wait_for()
        other.get_by_role("button", name="Back to the live session").click()
        connected(other)


def unnamed(page):
    """The controls of the accessibility tree that have no name."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    found = []
    for node in nodes:
        role = node.get("role", {}).get("value")
        if not node.get("ignored") and role in CONTROLS and not node.get("name", {}).get("value", "").strip():
            found.append(f"{role} without a name: {node.get('properties')}")
    expect(sum(not node.get("ignored") for node in nodes) > 20, "the accessibility tree is nearly empty")
    return found


def each_view_fits_and_is_readable(desk, screenshots=None):
    """In each size and theme: names in the accessibility tree, contrast, and nothing cut off."""
    findings = []
    survey = (HERE / "survey.js").read_text(encoding="utf-8")
    for width, height in SIZES:
        for scheme in ("light", "dark"):
            page = desk.live(width=width, height=height, scheme=scheme)
            row_id = desk.app.sample(page)
            page.wait_for_function("() => inspector.client.samples.length > 1")
            places = {**{view: f"#/{view}" for view in VIEWS}, "store": f"#/stores/{row_id}", "run": None, "help": None}
            for place, hash in places.items():
                if place == "run":
                    number = page.evaluate("[...inspector.client.history.runs.values()].findLast((run) => run.end !== null).number")
                    hash = f"#/timeline/run/{number}"
                if hash:
                    page.evaluate("(hash) => { location.hash = hash; }", hash)
                if place == "impact":
                    page.get_by_label("Pattern to invalidate").fill("**")
                    page.locator(".summary", has_text="would run now").wait_for()
                if place == "store":
                    page.locator(".pane .section").first.wait_for()
                if place == "help":
                    page.evaluate("inspector.shell.help.showModal()")
                painted(page)
                name = f"{place}, {width} px, {scheme}"
                result = page.evaluate(survey)
                expect(result["texts"] > 5, f"{name}: nothing is shown")
                findings += [f"{name}: {each}" for each in result["findings"] + unnamed(page)]
                if screenshots:
                    page.screenshot(path=str(screenshots / f"{place}-{width}-{scheme}.png"))
            page.context.close()
    expect(not findings, "\n".join(findings))


def the_theme_can_be_switched(desk):
    page = desk.live(scheme="light")
    color = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(color)
    page.keyboard.press("t")
    page.keyboard.press("t")
    expect(page.evaluate(color) != light, "the dark theme has the background of the light one")
    page.reload()
    connected(page)
    expect(page.evaluate("document.documentElement.dataset.theme") == "dark", "the theme is not remembered")
