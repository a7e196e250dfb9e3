"use strict";

/// The frame around the views: title bar, navigation, banners and dialogs.
class Shell {
    static views = [
        ["stores", "Stores"],
        ["timeline", "Timeline"],
        ["impact", "Impact"],
        ["mutations", "Mutations"],
        ["runtime", "Runtime"],
        ["metrics", "Metrics"],
    ];
    static shortcuts = [
        ["1 – 6", "Choose a view"],
        ["/", "Search"],
        ["↑ ↓ or J K", "Move in a list"],
        ["← →", "Close and open a group of the tree"],
        ["Enter", "Open the store"],
        ["Escape", "Close the store"],
        ["Space", "Timeline: pause or follow"],
        ["← → ↑ ↓", "Timeline: select a run"],
        ["Shift ← →", "Timeline: move in time"],
        ["+ − 0", "Timeline: zoom in, zoom out, show all"],
        ["T", "Switch between light and dark"],
        ["E", "Export the session"],
        ["O", "Open a session"],
        ["?", "Show this help"],
    ];
    static themes = { auto: "automatic", light: "light", dark: "dark" };

    constructor(app) {
        this.app = app;
        this.name = h("h1", { text: "QueryKit Inspector" });
        this.process = h("span", { class: "faint" });
        this.connection = h("span", { class: "connection", role: "status" }, h("i"), h("span", { text: "Connecting" }));
        this.client = h("select", {
            class: "field",
            "aria-label": "Client",
            hidden: true,
            onchange: () => app.selectClient(Number(this.client.value)),
        });
        this.themeButton = button({ label: "Theme", icon: "theme", shortcut: "t", action: () => this.nextTheme() });
        this.file = h("input", {
            type: "file",
            accept: ".json,application/json",
            hidden: true,
            "aria-label": "Session file",
            tabindex: "-1",
            onchange: () => this.chooseFile(),
        });
        const bar = h(
            "header",
            { class: "bar" },
            h(
                "div",
                { class: "brand" },
                h("span", { class: "logo", "aria-hidden": "true" }),
                h("div", { class: "names" }, this.name, this.process),
            ),
            this.client,
            this.connection,
            h(
                "div",
                { class: "group end" },
                button({ label: "Export the session", icon: "save", shortcut: "e", action: () => app.exportSession() }),
                button({ label: "Open a session", icon: "open", shortcut: "o", action: () => this.file.click() }),
                this.themeButton,
                button({ label: "Help and shortcuts", icon: "help", shortcut: "?", action: () => this.help.showModal() }),
            ),
            this.file,
        );
        this.links = new Map();
        const nav = h(
            "nav",
            { class: "rail", "aria-label": "Views" },
            Shell.views.map(([key, text], index) => {
                const link = h(
                    "a",
                    { href: `#/${key}`, "aria-keyshortcuts": String(index + 1) },
                    icon(key),
                    h("span", { text }),
                    h("span", { class: "count", "aria-hidden": "true" }),
                );
                this.links.set(key, link);
                return link;
            }),
        );
        this.banner = h("div", { class: "banners" });
        this.main = h("main", { id: "main", tabindex: "-1" });
        this.help = this.makeHelp();
        fill(document.getElementById("app"), bar, nav, h("div", { class: "stage" }, this.banner, this.main), this.help);
        document.querySelector(".skip").addEventListener("click", (event) => {
            // The fragment of the address is the view.
            event.preventDefault();
            this.main.focus();
        });
        this.setTheme(Shell.stored("theme") ?? "auto");
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.forgetColors());
    }

    makeHelp() {
        const list = (pairs) =>
            h(
                "dl",
                { class: "facts" },
                pairs.map(([keys, text]) => [h("dt", {}, keys), h("dd", { text })]),
            );
        return h(
            "dialog",
            { class: "help", "aria-label": "Help and shortcuts" },
            h(
                "div",
                { class: "line" },
                h("h2", { text: "Shortcuts" }),
                button({ label: "Close the help", icon: "close", kind: "closer", action: () => this.help.close() }),
            ),
            list(Shell.shortcuts.map(([keys, text]) => [h("kbd", { text: keys }), text])),
            h("h2", { text: "Status" }),
            list(Object.keys(Status.names).map((name) => [badge(name), Status.meanings[name]])),
        );
    }

    static stored(key) {
        try {
            return localStorage.getItem(`querykit.${key}`);
        } catch {
            return null;
        }
    }

    static store(key, value) {
        try {
            localStorage.setItem(`querykit.${key}`, value);
        } catch {
            // Without storage the choice lasts as long as the page.
        }
    }

    setTheme(theme) {
        this.theme = theme in Shell.themes ? theme : "auto";
        document.documentElement.dataset.theme = this.theme;
        const label = `Theme: ${Shell.themes[this.theme]}`;
        this.themeButton.setAttribute("aria-label", label);
        this.themeButton.title = `${label} (T)`;
        this.forgetColors();
    }

    nextTheme() {
        const names = Object.keys(Shell.themes);
        this.setTheme(names[(names.indexOf(this.theme) + 1) % names.length]);
        Shell.store("theme", this.theme);
        announce(`Theme: ${Shell.themes[this.theme]}`);
    }

    forgetColors() {
        Palette.forget();
        this.app.changed(["theme"]);
    }

    select(view) {
        for (const [key, link] of this.links) {
            if (key === view) link.setAttribute("aria-current", "page");
            else link.removeAttribute("aria-current");
        }
    }

    update(changes) {
        const { model, client } = this.app;
        if (changes.has("session") || changes.has("client")) this.showSession(model, client);
        if (!client) return;
        this.count("stores", client.rows.size);
        this.count("mutations", client.mutations.calls?.length ?? 0);
        this.count("metrics", client.metrics?.alerts?.length ?? 0);
    }

    count(view, count) {
        const place = this.links.get(view).lastChild;
        setText(place, count ? Format.count(count) : "");
        place.hidden = !count;
    }

    showSession(model, client) {
        const hello = model.hello;
        setText(this.name, hello?.name || "QueryKit Inspector");
        setText(this.process, hello?.process ? `${hello.process.name}, process ${hello.process.pid}` : "");
        document.title = hello?.name ? `${hello.name} – QueryKit Inspector` : "QueryKit Inspector";
        const clients = [...model.clients.values()];
        this.client.hidden = clients.length < 2;
        fill(
            this.client,
            clients.map((each) =>
                h("option", {
                    value: String(each.id),
                    text: (each.name || `Client ${each.id}`) + (each.isGone ? " (gone)" : ""),
                    selected: each === client,
                }),
            ),
        );
        this.showConnection();
        this.showBanners(model, client);
    }

    showConnection() {
        const { model, connection } = this.app;
        const [kind, text] = model.isRecorded
            ? ["recorded", "Recorded session"]
            : model.ended && connection.state !== "live"
              ? ["waiting", "The app has stopped"]
              : connection.state === "live"
                ? ["live", "Live"]
                : connection.state === "refused"
                  ? ["refused", "Refused"]
                  : connection.state === "waiting"
                    ? ["waiting", "Reconnecting"]
                    : connection.state === "none"
                      ? ["waiting", "Not connected"]
                      : ["waiting", "Connecting"];
        this.connection.className = `connection ${kind}`;
        setText(this.connection.lastChild, text);
    }

    showBanners(model, client) {
        const { connection } = this.app;
        const banners = [];
        if (model.isRecorded) {
            const started = model.hello?.started ? new Date(model.hello.started) : null;
            banners.push(
                h(
                    "div",
                    { class: "banner recorded" },
                    h(
                        "p",
                        {},
                        h("strong", { text: "Recorded session" }),
                        started && !Number.isNaN(started.getTime()) ? ` that began on ${started.toLocaleString()}.` : ".",
                        " Nothing here is live.",
                    ),
                    this.app.canConnect
                        ? button({ label: "Back to the live session", text: "Back to the live session", action: () => this.app.goLive() })
                        : null,
                ),
            );
        } else if (connection.state === "refused") {
            banners.push(this.refusal());
        } else if (connection.state === "none") {
            banners.push(
                h(
                    "div",
                    { class: "banner" },
                    h("p", {
                        text: "This page has no connection to an app. Open an exported session, or the address that the app prints.",
                    }),
                ),
            );
        } else if (connection.state === "waiting" && model.hello) {
            banners.push(
                h(
                    "div",
                    { class: "banner warning" },
                    h(
                        "p",
                        {},
                        h("strong", { text: "The app can't be reached." }),
                        model.ended ? ` It said: ${model.ended}.` : "",
                        " You see its last state. The page reconnects by itself when the app runs again on the same port.",
                    ),
                ),
            );
        }
        if (this.app.hasRestarted && !model.isRecorded && connection.state === "live") {
            banners.push(
                this.dismissible("", "The app was restarted. What you see begins with the new process.", () => {
                    this.app.hasRestarted = false;
                }),
            );
        }
        if (client?.isGone)
            banners.push(
                h("div", { class: "banner warning" }, h("p", { text: "This client was deallocated. You see what it did until then." })),
            );
        if (model.lagged > 0)
            banners.push(
                this.dismissible(
                    "warning",
                    `This page could not keep up: ${Format.plural(model.lagged, "event")} are missing from the timeline. ` +
                        "The lists are complete.",
                    () => {
                        model.lagged = 0;
                    },
                ),
            );
        if (model.interruptions > 0 && connection.state === "live")
            banners.push(
                this.dismissible(
                    "warning",
                    "The connection was interrupted. Without a page the app records nothing, so the timeline has a gap. " +
                        "The lists are complete.",
                    () => {
                        model.interruptions = 0;
                    },
                ),
            );
        const key = banners.map((each) => each.textContent).join("|");
        if (this.bannerKey === key) return;
        this.bannerKey = key;
        fill(this.banner, banners);
    }

    /// A banner that can be closed.
    dismissible(kind, text, forget) {
        return h(
            "div",
            { class: `banner ${kind}` },
            h("p", { text }),
            button({
                label: "Dismiss",
                icon: "close",
                kind: "closer",
                action: () => {
                    forget();
                    this.app.changed(["session"]);
                },
            }),
        );
    }

    /// A token is valid for one inspector. After a restart the app has printed another address.
    refusal() {
        const input = h("input", {
            class: "field",
            type: "url",
            required: true,
            placeholder: "http://127.0.0.1:…/?token=…",
            "aria-label": "New address of the inspector",
        });
        return h(
            "div",
            { class: "banner error" },
            h(
                "p",
                {},
                h("strong", { text: "The token of this page is not valid." }),
                " The app was probably restarted. Paste the address that it has printed:",
            ),
            h(
                "form",
                {
                    class: "group",
                    onsubmit: (event) => {
                        event.preventDefault();
                        this.app.openAddress(input.value, input);
                    },
                },
                input,
                h("button", { class: "button primary", type: "submit", text: "Open" }),
            ),
        );
    }

    async chooseFile() {
        const file = this.file.files[0];
        this.file.value = "";
        if (file) await this.app.openFile(file);
    }

    confirm(title, text, action) {
        return new Promise((resolve) => {
            const dialog = h(
                "dialog",
                { "aria-label": title },
                h("h2", { text: title }),
                h("p", { text }),
                h(
                    "form",
                    { method: "dialog", class: "group end" },
                    h("button", { class: "button", value: "", text: "Cancel" }),
                    h("button", { class: "button danger", value: "yes", text: action }),
                ),
            );
            dialog.addEventListener("close", () => {
                dialog.remove();
                resolve(dialog.returnValue === "yes");
            });
            document.body.append(dialog);
            dialog.showModal();
        });
    }
}
