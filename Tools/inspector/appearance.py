"""How the page of the inspector looks: contrast, names, sizes and themes, and the pictures of its documentation."""

import pathlib
import re

from desk import connected, expect, painted, row_of, rows, until

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
    "DisclosureTriangle",
    "DisclosureTriangleGrouped",
}
SIZES = [(390, 800), (800, 900), (1040, 800), (1280, 800), (1600, 1000)]


def unnamed(page):
    """The controls of the accessibility tree that have no name. While a dialog is open, the rest of the page is not in the tree."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    found = []
    for node in nodes:
        role = node.get("role", {}).get("value")
        # The name of a summary begins with its triangle.
        if not node.get("ignored") and role in CONTROLS and not node.get("name", {}).get("value", "").strip(" ▸▾"):
            found.append(f"{role} without a name: {node.get('properties')}")
    least = 5 if page.locator("dialog[open]").count() else 20
    expect(sum(not node.get("ignored") for node in nodes) > least, "the accessibility tree is nearly empty")
    return found


def surveyed(page, name):
    """What is wrong with the page as it is shown."""
    result = page.evaluate((HERE / "survey.js").read_text(encoding="utf-8"))
    expect(result["texts"] > 5, f"{name}: nothing is shown")
    return [f"{name}: {each}" for each in result["findings"] + unnamed(page)]


def what_opens_on_request_is_readable(desk, screenshots=None):
    """The same for what a view shows only after a choice, on a phone and on a desktop."""
    findings = []

    def look(page, place):
        painted(page)
        name = f"{place}, {page.viewport_size['width']} px"
        findings.extend(surveyed(page, name))
        if screenshots:
            page.screenshot(path=str(screenshots / f"{place}-{page.viewport_size['width']}.png"))

    for width, scheme in ((390, "dark"), (1280, "light")):
        page = desk.live(width=width, scheme=scheme)
        page.get_by_role("radio", name="Tree").click()
        page.get_by_role("treegrid", name="Stores").wait_for()
        look(page, "tree")
        # The observed store with the most runs has changed, or changes soon.
        busy = "[...inspector.client.rows.values()].filter((row) => row.subscribers > 0).sort((left, right) => right.runs - left.runs)[0]"
        until(page, f"{busy}.runs > 1", "no store has run twice")
        page.evaluate(f"inspector.go('stores', {busy}.id)")
        page.locator(".pane .tree").wait_for()
        page.locator(".pane").get_by_role("radio", name="Changes").click()
        # An app may have changed the value back.
        page.locator('.pane [data-part="value"]').locator(".tree.changes, .hint").first.wait_for()
        look(page, "changes")
        page.evaluate("inspector.go('timeline')")
        page.get_by_role("radio", name="Events").click()
        rows(page, "Events").first.wait_for()
        look(page, "events")
        page.evaluate("inspector.go('impact', 'pattern', '**')")
        page.get_by_role("group", name="Actions on the matching stores").get_by_role("button", name="Remove").click()
        page.get_by_role("dialog").wait_for()
        look(page, "confirm")
        page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        page.evaluate("inspector.openFile(new File([JSON.stringify(inspector.model.file())], 'session.json'))")
        connected(page, "Recorded session")
        page.evaluate("(id) => inspector.go('stores', id)", desk.sample(page))
        page.locator(".pane").get_by_text("Recorded session: no actions.").wait_for()
        look(page, "recorded")
        page.context.close()
        refused = desk.open(url=re.sub("token=.*", "token=wrong", desk.app.url), width=width, scheme=scheme)
        if refused.locator("#app").count() > 0:  # A server can refuse the page itself.
            refused.get_by_text("The token of this page is not valid.").wait_for()
            look(refused, "refused")
        refused.context.close()
    expect(not findings, "\n".join(findings))


def each_view_fits_and_is_readable(desk, screenshots=None):
    """In each size and theme: names in the accessibility tree, contrast, and nothing cut off."""
    findings = []
    for width, height in SIZES:
        for scheme in ("light", "dark"):
            page = desk.live(width=width, height=height, scheme=scheme)
            row_id = desk.sample(page)
            until(page, "inspector.client.samples.length > 1", "there are no metrics")
            ended = "[...inspector.client.history.runs.values()].findLast((run) => run.end !== null)"
            until(page, f"{ended} !== undefined", "no run has ended")
            places = {**{view: f"#/{view}" for view in VIEWS}, "store": f"#/stores/{row_id}", "run": None, "help": None}
            for place, hash in places.items():
                if place == "run":
                    hash = f"#/timeline/run/{page.evaluate(f'{ended}.number')}"
                if hash:
                    page.evaluate("(hash) => { location.hash = hash; }", hash)
                if place == "impact":
                    page.get_by_label("Pattern to invalidate").fill("**")
                    page.locator(".summary", has_text="would run now").wait_for()
                if place == "store":
                    page.locator(".pane .section").first.wait_for()
                if place == "run":
                    page.locator(".details .why").wait_for()
                if place == "help":
                    page.evaluate("inspector.shell.help.showModal()")
                painted(page)
                name = f"{place}, {width} px, {scheme}"
                findings += surveyed(page, name)
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
    until(page, f"{color} !== argument", "the dark theme has the background of the light one", light)
    page.reload()
    connected(page)
    until(page, "document.documentElement.dataset.theme === 'dark'", "the theme is not remembered")


def the_pictures_of_the_documentation(desk, folder):
    """Two views of the shop in both themes, small enough for a page of documentation."""
    for scheme in ("light", "dark"):
        suffix = "" if scheme == "light" else "~dark"
        page = desk.live(width=1280, height=760, scheme=scheme)
        path = "stock/5"
        row_of(page, path).wait_for()
        sold = f"[...inspector.client.history.runs.values()].filter((run) => run.path === '{path}' && run.end !== null)"
        until(page, f"{sold}.length > 12", "the shop sells too little for a picture")
        page.evaluate("(path) => inspector.openPath(path)", path)
        page.get_by_role("radio", name="Changes").click()
        page.locator('.pane [data-part="value"] .tree.changes').wait_for()
        # A reorder commits the same row. The text beside the picture tells of a sale.
        page.locator(".pane .why", has_text="sales/add committed").wait_for()
        save(page, folder / f"InspectorStores{suffix}.png")
        # The shop has few lanes.
        page.set_viewport_size({"width": 1280, "height": 460})
        by_sale = f"{sold}.filter((run) => inspector.client.history.changeOf(run)?.mutation?.path === 'sales/add')"
        page.evaluate(f"inspector.go('timeline', 'run', {by_sale}.at(-2).number)")
        page.locator(".details .why", has_text="sales/add committed").wait_for()
        save(page, folder / f"InspectorTimeline{suffix}.png")


def save(page, file):
    painted(page)
    page.screenshot(path=str(file), animations="disabled", caret="hide")
    size = file.stat().st_size
    print(f"      {file.name}: {size // 1000} kB")
    expect(size < 150_000, f"{file.name} has {size} bytes, more than a page should load")
