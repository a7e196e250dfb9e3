"use strict";

/// The page: connects the session with the model, and the model with the view that is shown.
///
/// Messages change the model at once. The document changes once per animation frame, and only in the view that is shown.
class App {
    static all = ["session", "client", "stores", "events", "metrics", "mutations", "surroundings"];

    constructor() {
        this.model = new Model();
        this.changes = new Set();
        this.connection = { state: "connecting" };
        this.clientID = null;
        this.hasRestarted = false;
        this.motion = matchMedia("(prefers-reduced-motion: reduce)");
        const token = new URLSearchParams(location.search).get("token") ?? "";
        this.canConnect = location.protocol.startsWith("http");
        this.session = new Session({
            token,
            onMessage: (type, message) => this.receive(type, message),
            onState: (state) => this.setConnection(state),
        });
        this.shell = new Shell(this);
        this.views = {
            stores: new StoresView(this),
            timeline: new TimelineView(this),
            impact: new ImpactView(this),
            mutations: new MutationsView(this),
            runtime: new RuntimeView(this),
            metrics: new MetricsView(this),
        };
        window.addEventListener("hashchange", () => this.route());
        document.addEventListener("keydown", (event) => this.key(event));
        document.addEventListener("visibilitychange", () => !document.hidden && this.session.hurry());
        document.addEventListener("dragover", (event) => event.preventDefault());
        document.addEventListener("drop", (event) => this.drop(event));
        setInterval(() => this.tick(), 1000);
        this.route();
        if (this.canConnect) this.session.start();
        else this.setConnection("none");
    }

    get client() {
        return this.model.clients.get(this.clientID) ?? this.model.clients.values().next().value ?? null;
    }

    get isLive() {
        return this.connection.state === "live" && !this.model.isRecorded;
    }

    get isCalm() {
        return this.motion.matches;
    }

    receive(type, message) {
        if (this.model.isRecorded) return;
        if (type === "hello" && this.model.hello && this.model.hello.session !== message.session) {
            this.hasRestarted = true;
            this.changes.add("client");
        }
        this.changed(this.model.apply(type, message));
    }

    setConnection(state) {
        if (state !== "live" && this.connection.state === "live" && this.model.ended === null && !this.model.isRecorded) this.model.end("");
        this.connection = { state };
        this.changed(["session"]);
    }

    changed(names) {
        for (const name of names) this.changes.add(name);
        this.wake();
    }

    tick() {
        if (this.client && !this.model.isRecorded) this.client.reconcile(this.model.now(this.client));
        if (!document.hidden) this.view.tick?.();
    }

    wake() {
        if (this.isWaiting) return;
        this.isWaiting = true;
        requestAnimationFrame((now) => this.frame(now));
    }

    later(ms) {
        if (this.timer) return;
        this.timer = setTimeout(() => {
            this.timer = null;
            this.wake();
        }, ms);
    }

    frame() {
        this.isWaiting = false;
        if (!this.shell || !this.view) return;
        const changes = this.changes;
        this.changes = new Set();
        const now = performance.now();
        this.shell.update(changes);
        this.view.update(changes, now);
        if (this.view.frame?.(now)) this.wake();
    }

    // Places

    go(view, ...parts) {
        const hash = `#/${[view, ...parts].map((part) => encodeURIComponent(part)).join("/")}`;
        if (location.hash === hash) this.route();
        else location.hash = hash;
    }

    route() {
        let [name, ...parts] = location.hash
            .replace(/^#\/?/, "")
            .split("/")
            .map((part) => decodeURIComponent(part));
        if (!(name in this.views)) [name, parts] = ["stores", []];
        const view = this.views[name];
        this.shell.select(name);
        if (this.view !== view) {
            this.view = view;
            fill(this.shell.main, view.element);
            this.shell.main.setAttribute("aria-label", view.constructor.title);
            this.changed(App.all.filter((each) => each !== "client").concat("theme"));
        }
        if (name === "stores") view.show(parts[0] ?? null);
        else view.show?.(...parts);
    }

    search(text) {
        const { stores } = this.views;
        stores.search.value = text;
        this.go("stores");
        stores.change({ search: text });
    }

    openPath(path) {
        const id = this.client?.storeID(path, null) ?? null;
        if (id === null) announce(`No store has the path ${path} now.`, "error");
        else this.go("stores", id);
    }

    showCall(call) {
        const found = this.client?.history.findCall(call);
        if (!found) return announce("This call is older than the recorded events.", "error");
        this.go("timeline");
        this.views.timeline.setMode("lanes");
        this.views.timeline.select(found, true);
    }

    selectClient(id) {
        this.clientID = id;
        if (this.view === this.views.stores) this.go("stores");
        this.changed(App.all);
    }

    key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || document.querySelector("dialog[open]")) return;
        const isTyping = event.target.closest?.("input, select, textarea");
        if (event.key === "Escape" && isTyping) return event.target.blur();
        if (isTyping) return;
        const index = Number(event.key) - 1;
        const actions = {
            "/": () => this.view.element.querySelector("input[type=search], input[type=text]")?.focus(),
            "?": () => this.shell.help.showModal(),
            t: () => this.shell.nextTheme(),
            e: () => this.exportSession(),
            o: () => this.shell.file.click(),
            Escape: () => this.view === this.views.stores && this.views.stores.selected !== null && this.views.stores.close(),
        };
        const action = Shell.views[index] ? () => this.go(Shell.views[index][0]) : actions[event.key];
        if (!action) return;
        event.preventDefault();
        action();
    }

    // Actions

    async act(body, text) {
        const request = { client: this.client?.id ?? 0, pattern: null, id: null, available: null, ms: null, ...body };
        try {
            const answer = await this.session.post("/api/action", request);
            if (answer?.error) throw new Error(answer.error);
            announce(text(answer ?? {}));
            return answer;
        } catch (error) {
            announce(error.message, "error");
            return null;
        }
    }

    confirm(title, text, action) {
        return this.shell.confirm(title, text, action);
    }

    // Record and share

    async exportSession() {
        if (!this.model.hello) return announce("There is nothing to export yet.", "error");
        let file = null;
        if (this.isLive) file = await this.session.get("/api/export").catch(() => null);
        // When the app has crashed, the page still has all it was sent.
        const text = JSON.stringify(file ?? this.model.file());
        const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: this.fileName() });
        document.body.append(link);
        link.click();
        link.remove();
        setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
        announce(`Exported ${link.download}, ${Format.bytes(text.length)}.`);
    }

    fileName() {
        const name = (this.model.hello.name || "session").replace(/[^A-Za-z0-9-]+/g, "-");
        return `${name}-${new Date().toISOString().slice(0, 19).replace(/:/g, "-")}.querykit.json`;
    }

    async openFile(file) {
        try {
            let content;
            try {
                content = JSON.parse(await file.text());
            } catch {
                throw new Error(`${file.name} is not a JSON file.`);
            }
            const changes = this.model.open(content);
            this.session.stop();
            this.clientID = null;
            if (this.view === this.views.stores) this.go("stores");
            this.changed([...changes, "client"]);
            announce(`Opened ${file.name}.`);
        } catch (error) {
            announce(error.message, "error");
        }
    }

    drop(event) {
        event.preventDefault();
        const file = event.dataTransfer?.files?.[0];
        if (file) this.openFile(file);
    }

    goLive() {
        this.model.reset();
        this.connection = { state: "connecting" };
        this.changed(App.all);
        this.session.start();
    }

    /// Opens another address of an inspector; only on this machine, because it contains a token.
    openAddress(text, input) {
        let url = null;
        try {
            url = new URL(text);
        } catch {
            // Told below.
        }
        const isLocal = url && url.protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
        if (!isLocal) {
            input.setCustomValidity("Paste the whole address, for example http://127.0.0.1:50123/?token=…");
            input.reportValidity();
            input.addEventListener("input", () => input.setCustomValidity(""), { once: true });
            return;
        }
        location.assign(url.href);
    }
}

/// For the console and the tests.
const inspector = new App();
