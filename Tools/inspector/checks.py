"""What the page of the inspector must do, as checks of a page in a browser. Each takes a `Desk` and fails with an AssertionError.

The app goes on while a check runs, so a check acts only on the store of `Desk.sample`, and waits with `until` for what it expects.
"""

import json
import pathlib
import re
import tempfile

from desk import connected, expect, open_row, painted, row_of, rows, text_of, until

HERE = pathlib.Path(__file__).resolve().parent
LIST = "inspector.views.stores.list"


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
    count = f"Number({LIST}.element.getAttribute('aria-rowcount'))"
    until(page, f"{count} === inspector.client.rows.size + 1", "the number of rows is not that of the stores")
    expect(rows(page).count() < 60, "the list has elements for rows out of view")
    page.get_by_role("button", name="Sort by Runs").click()
    page.locator('[role="columnheader"][aria-sort="ascending"]', has=page.get_by_role("button", name="Sort by Runs")).wait_for()
    page.get_by_role("button", name="Sort by Path").click()
    page.get_by_role("grid", name="Stores").focus()
    page.keyboard.press("ArrowDown")
    first = active_path(page)
    page.keyboard.press("ArrowDown")
    expect(active_path(page) != first, "an arrow key does not move the active row")
    page.keyboard.press("End")
    until(page, f"{LIST}.active > 1 && {LIST}.active === {LIST}.items.length - 1", "the key End does not lead to the last row")
    page.locator(".list .row.active").wait_for()
    page.get_by_role("radio", name=re.compile("^Observed")).click()
    shown = f"{LIST}.items.length > 0 && {LIST}.items.every((row) => row.subscribers > 0)"
    until(page, shown, "the filter shows stores that nothing observes")


def the_tree_opens_and_closes(desk):
    page = desk.live()
    page.get_by_role("radio", name="Tree").click()
    tree = page.get_by_role("treegrid", name="Stores")
    tree.focus()
    page.keyboard.press("Home")
    until(page, f"{LIST}.items.some((item) => item.group)", "the tree has no group")
    for _ in range(page.evaluate(f"{LIST}.items.findIndex((item) => item.group)")):
        page.keyboard.press("ArrowDown")
    group = page.locator(".list .row.active[aria-expanded]")
    group.wait_for()
    before = page.evaluate(f"{LIST}.items.length")
    was_open = group.get_attribute("aria-expanded") == "true"
    page.keyboard.press("ArrowLeft" if was_open else "ArrowRight")
    until(page, f"{LIST}.items.length !== argument", "the group keeps its rows", before)
    page.locator(f'.list .row.active[aria-expanded="{str(not was_open).lower()}"]').wait_for()


def the_search_finds_patterns_and_texts(desk):
    page = desk.live()
    first = page.evaluate("(id) => inspector.client.rows.get(id).elements[0]", desk.sample(page))
    page.keyboard.press("/")
    page.keyboard.type(f"{first}/**")
    wanted = page.evaluate("(first) => [...inspector.client.rows.values()].filter((row) => row.elements[0] === first).length", first)
    page.locator(".found", has_text=re.compile(rf"^({wanted:,} of|{wanted:,} stores?)")).wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("searchbox", name=re.compile("^Search stores")).fill("no such store")
    page.get_by_text("No store matches").wait_for()


def the_page_of_a_store(desk):
    page = desk.live()
    path = page.evaluate("(id) => inspector.client.rows.get(id).path", desk.sample(page))
    page.get_by_role("searchbox", name=re.compile("^Search stores")).fill(path)
    open_row(page, path)
    page.get_by_role("heading", name=path, exact=True).wait_for()
    for title in ["Value", "State", "What it read", "Runs"]:
        page.locator(".pane .section > summary > span:first-child", has_text=re.compile(f"^{title}$")).wait_for()
    expect(re.match("Ran because .*", text_of(page, ".pane .why")), "the page does not say why it ran")
    page.locator(".pane .tree").wait_for()
    page.get_by_role("radio", name="Changes").click()
    page.locator('.pane [data-part="value"] .changes, .pane [data-part="value"] .lines, .pane [data-part="value"] .hint').first.wait_for()
    until(page, "document.activeElement.textContent === 'Changes'", "the choice lost the focus")
    page.keyboard.press("Escape")
    page.locator(".pane").wait_for(state="hidden")
    until(page, "document.activeElement.getAttribute('role') === 'grid'", "the focus does not return to the list")
    page.go_back()
    page.get_by_role("heading", name=path, exact=True).wait_for()


def a_store_shows_its_statements(desk):
    page = desk.live()
    warned = page.evaluate("""async () => {
        for (const id of [...inspector.client.rows.keys()]) {
            const details = await inspector.session.get("/api/store", { client: inspector.client.id, id }).catch(() => null);
            const statement = details?.statements.find((each) => each.warnings.length > 0);
            if (statement) return { id, ...statement };
        }
        return null;
    }""")
    expect(warned, "no store was read by a statement with a warning")
    page.evaluate("(id) => inspector.go('stores', id)", warned["id"])
    line = re.sub(r"\s+", " ", warned["sql"])
    statement = page.locator(".pane .statement").filter(has=page.locator("summary code", has_text=line))
    statement.locator("summary .badge", has_text="Warning").wait_for()
    statement.locator(".notice", has_text=warned["warnings"][0]).wait_for()
    statement.locator("pre.plan", has_text=warned["plan"][0]).wait_for()
    statement.get_by_text(warned["reasons"][0]).wait_for()
    summary = statement.locator("summary")
    summary.focus()
    page.keyboard.press("Enter")
    statement.locator("pre.plan").wait_for(state="hidden")
    statement.locator("summary .badge", has_text="Warning").wait_for()
    # A statement stays closed when the store is shown again.
    until(page, "[...inspector.views.stores.pane.openStatements.values()].includes(false)", "it is not noted that a statement was closed")
    page.evaluate("inspector.views.stores.pane.parts.get('statements').text = ''")
    page.evaluate("inspector.views.stores.pane.render()")
    until(page, "!document.querySelector('.pane .statement:has(.warned)').open", "a closed statement opens by itself")


def a_store_shows_its_layers(desk):
    """While the network is off, a mutation of the app waits, and a store shows its layer."""
    page = desk.live("#/runtime")
    page.get_by_role("button", name="Turn the network off").click()
    found = page.evaluate("""async () => {
        for (const end = performance.now() + 60_000; performance.now() < end; await new Promise((resolve) => setTimeout(resolve, 100))) {
            for (const { id, flags } of inspector.client.rows.values()) {
                if (!flags.includes("optimistic")) continue;
                const details = await inspector.session.get("/api/store", { client: inspector.client.id, id }).catch(() => null);
                if (details?.layers.length) return { id, layers: details.layers };
            }
        }
        return null;
    }""")
    expect(found, "no store has a layer")
    page.evaluate("(id) => inspector.go('stores', id)", found["id"])
    shown = page.get_by_role("table", name="Optimistic layers")
    for layer in found["layers"]:
        call = "" if layer["call"] is None else f" #{layer['call']}"
        row = shown.get_by_role("row").filter(has_text=layer["label"]).filter(has_text=f"{layer['mutation']}{call}").first
        row.wait_for()
        expect((layer["call"] is None) == ("#" not in row.inner_text()), f"the row of a layer is {row.inner_text()!r}")
    page.evaluate("inspector.go('runtime')")
    page.get_by_role("button", name="Use the real network again").click()
    page.get_by_text("Simulated by the inspector.").wait_for(state="detached")


def the_timeline_explains_runs(desk):
    page = desk.live()
    page.keyboard.press("2")
    explained = """[...inspector.client.history.runs.values()]
        .findLast((run) => run.end !== null && inspector.client.history.changeOf(run))"""
    until(page, f"{explained} !== undefined", "no run was caused by a change")
    colors = """(() => { const canvas = document.querySelector(".canvas canvas");
        const context = canvas.getContext("2d", { willReadFrequently: true });
        const data = context.getImageData(0, 0, canvas.width, canvas.height).data;
        const colors = new Set();
        for (let at = 0; at < data.length; at += 4) colors.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2]);
        return colors.size; })()"""
    until(page, f"{colors} > 10", "the lanes are not drawn")
    page.evaluate(f"inspector.go('timeline', 'run', {explained}.number)")
    chosen = "inspector.views.timeline.selected?.number"
    until(page, f"{chosen} !== undefined", "the run is not selected")
    page.locator(".details .why").wait_for()
    why = text_of(page, ".details .why")
    expect(re.match("Ran because .+", why, re.DOTALL), f"the reason of a run is {why!r}")
    page.get_by_role("button", name="Follow").wait_for()
    before = page.evaluate(chosen)
    canvas = page.get_by_role("application")
    canvas.focus()
    # With a run in at least two lanes, one of the two keys leads to another run.
    until(page, "inspector.views.timeline.layout.rows.filter((row) => row.lane?.runs.length).length > 1", "there is only one lane")
    page.keyboard.press("ArrowUp")
    if page.evaluate(chosen) == before:
        page.keyboard.press("ArrowDown")
        until(page, f"{chosen} !== argument", "no key selects a run in another lane", before)
    span = page.evaluate("inspector.views.timeline.span")
    page.keyboard.press("+")
    until(page, "inspector.views.timeline.span < argument", "plus does not zoom in", span)
    page.keyboard.press("Space")
    page.get_by_role("button", name="Pause").wait_for()
    page.get_by_role("radio", name="Events").click()
    rows(page, "Events").first.wait_for()


def it_shows_what_would_change(desk):
    page = desk.live("#/impact")
    first = page.evaluate("(id) => inspector.client.rows.get(id).elements[0]", desk.sample(page))
    page.get_by_label("Pattern to invalidate").fill(f"{first}/**")
    running = "parseInt(document.querySelector('.summary').textContent.replaceAll(',', ''))"
    observed = "[...inspector.client.rows.values()].filter((row) => row.elements[0] === argument && row.subscribers > 0).length"
    until(page, f"{running} === {observed} && {running} > 0", "the summary doesn't count the observed stores", first)
    page.get_by_role("button", name="Invalidate").click()
    page.locator(".toast", has_text="Invalidated").wait_for()
    change = "[...inspector.client.history.changes.values()].some((change) => change.kind === 'invalidate' && change.pattern === argument)"
    until(page, change, "the invalidation is not in the timeline", f"{first}/**")
    page.get_by_role("radio", name="Table or region").click()
    region = page.evaluate("inspector.session.get('/api/regions', { client: inspector.client.id }).then((answer) => answer.regions[0])")
    page.get_by_label("Table or region that changes").fill(region)
    until(page, "inspector.views.impact.by === 'region' && inspector.views.impact.result?.stores.length > 0", "no store reads a region")
    page.locator(".summary", has_text="would run now").wait_for()


def actions_reach_the_app(desk):
    page = desk.live()
    row_id = desk.sample(page)
    page.evaluate("(id) => inspector.go('stores', id)", row_id)
    runs = page.evaluate("(id) => inspector.client.rows.get(id).runs", row_id)
    page.get_by_role("button", name="Refetch", exact=True).click()
    page.locator(".toast", has_text="Refetching").wait_for()
    until(page, "inspector.client.rows.get(argument[0]).runs > argument[1]", "the store doesn't run", [row_id, runs])
    # A run that is under way would end the simulation.
    until(page, "!inspector.client.rows.get(argument).flags.includes('fetching')", "the run doesn't end", row_id)
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
    unused = "[...inspector.client.rows.values()].findLast((row) => row.subscribers === 0 && !row.isMutation && row.status === 'success')"
    until(page, f"{unused} !== undefined", "each store is observed")
    row_id = page.evaluate(f"{unused}.id")
    page.get_by_label("Pattern to invalidate").fill(page.evaluate("(id) => inspector.client.rows.get(id).path", row_id))
    tools = page.get_by_role("group", name="Actions on the matching stores")
    tools.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    page.get_by_role("dialog").wait_for(state="detached")
    expect(page.evaluate("(id) => inspector.client.rows.has(id)", row_id), "a cancelled action was done")
    tools.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    until(page, "!inspector.client.rows.has(argument)", "the store was not removed", row_id)


def mutations_and_metrics(desk):
    page = desk.live("#/mutations")
    for title in ["In flight, queued and paused", "Journal", "History"]:
        page.get_by_role("heading", name=title).wait_for()
    ended = "inspector.client.mutations.history.at(-1)"
    until(page, f"{ended} !== undefined", "no call has ended")
    past = page.locator(".card", has=page.get_by_role("heading", name="History"))
    argument = page.evaluate(f"{ended}.arguments")
    expect(argument, "an ended call has no arguments")
    past.get_by_text(argument, exact=True).first.wait_for()
    # A journal that can't be read is not shown as an empty one.
    unreadable = page.evaluate("""(() => {
        Object.assign(inspector.client.mutations, { journal: [], journalError: "DatabaseError" });
        inspector.views.mutations.render();
        return inspector.views.mutations.journal.textContent;
    })()""")
    expect("The journal can't be read: DatabaseError." in unreadable, f"the card of the journal is {unreadable!r}")
    page.keyboard.press("6")
    page.get_by_role("rowheader").first.wait_for()
    page.locator('.figure canvas[aria-label^="Runs per second: "]').wait_for()


def the_journal_shows_what_waits(desk):
    """Mutations of the app that need the network wait in the journal while there is none."""
    page = desk.live("#/runtime")
    page.get_by_role("button", name="Turn the network off").click()
    page.evaluate("inspector.go('mutations')")
    card = page.locator(".card", has=page.get_by_role("heading", name="Journal"))
    # A call that began before the network was turned off can still be in the journal: only a paused one stays there.
    paused = """(() => {
        const { calls, journal } = inspector.client.mutations;
        const keys = calls.filter((call) => call.durable && call.status === "paused").map((call) => call.id);
        return journal.map((entry) => entry.key).filter((key) => keys.includes(key));
    })()"""
    until(page, f"{paused}.length > 0", "no durable call waits in the journal for the network")
    waiting = page.evaluate(paused)
    card.get_by_text(waiting[0]).wait_for()
    page.evaluate("inspector.go('runtime')")
    page.get_by_role("button", name="Use the real network again").click()
    gone = "!inspector.client.mutations.journal.some((entry) => argument.includes(entry.key))"
    until(page, gone, "mutations stay in the journal although the network is back", waiting)


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
    until(page, "inspector.model.hello.session !== argument && inspector.client.rows.size > 0", "the page shows the former process", session)


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
    until(page, "inspector.client.samples.length > 0 && inspector.client.history.runs.size > 0", "nothing is recorded")
    text = export(page)
    session = json.loads(text)
    expect(session["format"] == "querykit-session" and session["version"] == 1, "the file has another format")
    count = len(session["stores"]["0"])
    path = page.evaluate("(id) => inspector.client.rows.get(id).path", desk.sample(page))
    details = next(each for each in session["details"]["0"].values() if each["row"]["path"] == path)
    # A store that has read a region, for what would change.
    read = next(each for each in session["details"]["0"].values() if each["reads"])
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "session.json"
        file.write_text(text, encoding="utf-8")
        other = desk.live()
        other.locator("input[type=file]").set_input_files(str(file))
        connected(other, "Recorded session")
        until(other, "inspector.client.rows.size === argument", "the file lost stores", count)
        open_row(other, path)
        other.locator(".pane .tree").wait_for()
        expect(details["value"]["text"], "the file has no value of a store")
        parts = ["State", "Settings", "What it read", "Runs"]
        for title in parts:
            other.locator(".pane .section > summary > span:first-child", has_text=re.compile(f"^{title}$")).wait_for()
        expect(other.get_by_role("button", name="Refetch", exact=True).count() == 0, "a recorded session has actions")
        other.evaluate("(region) => inspector.go('impact', 'region', region)", read["reads"][0])
        concerned = "inspector.views.impact.result?.stores.some((store) => store.path === argument)"
        until(other, concerned, "the file does not tell what a region would change", read["row"]["path"])
        other.keyboard.press("2")
        until(other, "inspector.views.timeline.painter.scene?.layout.rows.length > 0", "the file lost the timeline")
        other.keyboard.press("6")
        other.get_by_role("rowheader").first.wait_for()
        file.write_text("[1]", encoding="utf-8")
        other.locator("input[type=file]").set_input_files(str(file))
        other.locator(".toast.error", has_text="not a session").wait_for()
        other.get_by_role("button", name="Back to the live session").click()
        connected(other)
        drop = """(text) => {
            const data = new DataTransfer();
            data.items.add(new File([text], "dropped.json"));
            document.querySelector("main").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }"""
        other.evaluate(drop, text)
        other.locator(".toast", has_text="Opened dropped.json.").wait_for()
        connected(other, "Recorded session")


def a_simulation_is_part_of_the_session(desk):
    page = desk.live()
    row_id = desk.sample(page)
    page.evaluate("(id) => inspector.go('stores', id)", row_id)
    page.get_by_role("group", name="Simulate").get_by_role("button", name="Failure").click()
    page.locator(".pane .badge", has_text="simulated").wait_for()
    page.evaluate("inspector.go('runtime')")
    page.get_by_role("button", name="Turn the network off").click()
    paused = "inspector.client.mutations.calls.filter((call) => call.status === 'paused').length"
    until(page, f"inspector.client.surroundings.network.simulated && {paused} > 0", "no call waits for the network")
    text = export(page)
    page.get_by_role("button", name="Use the real network again").click()
    page.evaluate("(id) => inspector.go('stores', id)", row_id)
    page.get_by_role("group", name="Simulate").get_by_role("button", name="Restore").click()
    page.locator(".pane .badge", has_text="simulated").wait_for(state="detached")

    page.evaluate("(text) => inspector.openFile(new File([text], 'session.json'))", text)
    connected(page, "Recorded session")
    page.evaluate("(id) => inspector.go('stores', id)", row_id)
    page.locator(".pane .badge", has_text="simulated").wait_for()
    page.locator(".pane").get_by_text("Recorded session: no actions.").wait_for()
    page.evaluate("inspector.go('runtime')")
    page.get_by_text("Simulated by the inspector.").wait_for()
    # The card is made again with the next frame.
    page.get_by_role("group", name="Simulate the network").wait_for(state="detached")
    page.evaluate("inspector.go('mutations')")
    page.locator(".badge.paused", has_text="paused").first.wait_for()


def a_store_belongs_to_the_chosen_client(desk):
    page = desk.live()
    row_id = desk.sample(page)
    page.evaluate("(id) => inspector.go('stores', id)", row_id)
    page.locator(".pane .tree").wait_for()
    page.keyboard.press("2")
    choice = page.get_by_role("combobox", name="Client")
    names = choice.locator("option").all_inner_texts()
    choice.select_option(label=names[1])
    until(page, "inspector.client.id === 1 && inspector.client.rows.size > 0", "the second client has no stores")
    # Back to the address of the store, whose number may be that of no store or of another one now.
    page.go_back()
    until(page, "!inspector.views.stores.pane.element.hidden", "the page of the store is not shown")
    shown = """(() => {
        const { data, error } = inspector.views.stores.pane;
        return data === null ? error !== null : inspector.client.rows.get(argument)?.path === data.row.path;
    })()"""
    until(page, shown, "the page shows the store of the other client", row_id)

    # An action concerns the store of the chosen client.
    other_id, path = page.evaluate("(() => { const row = inspector.client.rows.values().next().value; return [row.id, row.path]; })()")
    page.evaluate("(id) => inspector.go('stores', id)", other_id)
    page.get_by_role("heading", name=path, exact=True).wait_for()
    simulate = page.get_by_role("group", name="Simulate")
    simulate.get_by_role("button", name="Failure").click()
    simulated = """[...inspector.model.clients.values()].map(
        (each) => [...each.rows.values()].filter((row) => row.flags.includes("simulated")).length
    )"""
    until(page, f"String({simulated}) === '0,1'", "not only the store of the second client is simulated")
    simulate.get_by_role("button", name="Restore").click()
    until(page, f"String({simulated}) === '0,0'", "the simulation does not end")


def clients_are_chosen_and_can_go(desk):
    page = desk.live()
    choice = page.get_by_role("combobox", name="Client")
    names = choice.locator("option").all_inner_texts()
    expect(len(names) == 2, f"the clients are {names}")
    choice.select_option(label=names[1])
    until(page, "inspector.client.id === 1 && inspector.client.rows.size > 0", "the second client has no stores")
    path = page.evaluate("inspector.client.rows.values().next().value.path")
    row_of(page, path).wait_for()
    desk.app.release_client()
    gone = page.locator(".banner", has_text="This client was deallocated.")
    gone.wait_for()
    until(page, "document.querySelector('.bar select').selectedOptions[0].text === argument", "its name is not marked", f"{names[1]} (gone)")
    expect(row_of(page, path).count() == 1, "the last state of the client is not shown")
    open_row(page, path)
    page.locator(".pane").get_by_text("The client was deallocated.").wait_for()
    choice.select_option(label=names[0])
    gone.wait_for(state="detached")
    seen = page.evaluate("inspector.client.history.last")
    until(page, "inspector.client.history.last > argument", "the other client is no longer live", seen)
    later = desk.live()
    later.get_by_role("combobox", name="Client").select_option(label=f"{names[1]} (gone)")
    later.locator(".banner", has_text="This client was deallocated.").wait_for()


def an_interruption_is_told(desk):
    page = desk.live()
    until(page, "inspector.client.history.events.length > 0", "nothing is recorded")
    page.evaluate("""() => {
        const { events, last } = inspector.client.history;
        globalThis.former = { ...inspector.model.hello, first: events[0].n, last };
        inspector.session.abort.abort();
    }""")
    until(page, "inspector.client.history.last > former.last", "the page gets no events after it has reconnected")
    expect(page.evaluate("inspector.model.hello.session === former.session"), "the session is another one")
    expect(page.evaluate("inspector.client.history.events[0].n === former.first"), "a reconnect loses the history")
    # The app goes on recording if it notices the reconnect before the end of the connection.
    banner = "document.querySelector('.banner')?.textContent.includes('the timeline has a gap') ?? false"
    until(page, f"(inspector.model.hello.recording !== former.recording) === ({banner})", "a gap is not told, or told without one")
    if page.evaluate(banner):
        page.get_by_role("button", name="Dismiss").click()
        page.locator(".banner").wait_for(state="detached")
    # As the app sends it to a page that has read too slowly.
    page.evaluate("inspector.receive('lagged', { client: 0, lost: 7 })")
    page.locator(".banner", has_text="7 events are missing from the timeline").wait_for()
    page.get_by_role("button", name="Dismiss").click()
    page.locator(".banner").wait_for(state="detached")
