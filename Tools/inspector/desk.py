"""Pages of one app in one browser, and what checks ask of them."""

import re

PATIENCE = 60_000  # milliseconds that a busy machine may take for one step


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
        page.set_default_timeout(PATIENCE)
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
        until(page, "inspector.client?.rows.size > 0", "the page gets no stores")
        return page

    def sample(self, page):
        """The number of a store that changes only if the page acts on it: the observed one whose path comes first."""
        first = """[...inspector.client.rows.values()].filter((row) => row.subscribers > 0)
            .sort((left, right) => (left.path < right.path ? -1 : 1))[0]"""
        until(page, f"{first}?.status === 'success' && !{first}.flags.includes('fetching')", "no observed store has a value")
        return page.evaluate(f"{first}.id")

    def describe(self):
        """What the open pages show, for the report of a failure."""
        state = """`${location.hash || "/"}, ${document.querySelector(".connection")?.innerText}, ` +
            `${typeof inspector === "undefined" ? "no" : (inspector.client?.rows.size ?? "no")} stores, ` +
            `toast: ${document.querySelector(".toast")?.innerText ?? "none"}`"""
        texts = []
        for context in self.contexts:
            for page in context.pages:
                try:
                    texts.append(page.evaluate(state))
                except Exception as error:  # A page that has crashed can't be asked.
                    texts.append(str(error).splitlines()[0])
        return "; ".join(texts + self.problems)

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


def until(page, condition, message, argument=None):
    """Waits until a condition holds in the page; it may use `argument`. The page changes by itself, so no condition is checked once.

    A condition that fails does not hold yet: what it looks at may not be there so far. Its last failure is told if it never holds.
    """
    attempt = "try { globalThis.untilFailure = null; return %s; } catch (error) { globalThis.untilFailure = String(error); return false; }"
    try:
        page.wait_for_function("(argument) => { %s }" % (attempt % condition), arg=argument)
    except Exception as error:
        reason = page.evaluate("globalThis.untilFailure ?? null") or str(error).splitlines()[0]
        raise AssertionError(f"{message} ({reason})") from error


def text_of(page, selector):
    return page.locator(selector).first.inner_text()


def rows(page, label="Stores"):
    return page.locator(f'.list[aria-label="{label}"] .row:visible')


def row_of(page, path):
    """The row of a store, once the list shows it."""
    return rows(page).filter(has=page.locator(".name", has_text=re.compile(f"^{re.escape(path)}$"))).first


def open_row(page, path):
    """Clicks on the row of a store. The list reuses its rows: one that was found may show another store, or nothing, before the click."""
    for timeout in [1_000] * 20 + [30_000]:
        try:
            return row_of(page, path).click(timeout=timeout)
        except Exception:
            if timeout > 1_000:
                raise


def painted(page):
    """Returns after the page has drawn what came before."""
    page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
