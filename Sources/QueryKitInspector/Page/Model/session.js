"use strict";

/// Splits a stream of server-sent events into messages.
class EventParser {
    constructor(onMessage) {
        this.onMessage = onMessage;
        this.rest = "";
        this.clear();
    }

    clear() {
        this.type = "message";
        this.data = [];
    }

    feed(text) {
        const lines = (this.rest + text).split("\n");
        this.rest = lines.pop();
        for (const line of lines) this.line(line.endsWith("\r") ? line.slice(0, -1) : line);
    }

    line(line) {
        if (line === "") {
            if (this.data.length) this.onMessage(this.type, this.data.join("\n"));
            this.clear();
            return;
        }
        const colon = line.indexOf(":");
        if (colon === 0) return;
        const name = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
        if (name === "event") this.type = value;
        else if (name === "data") this.data.push(value);
    }
}

/// The connection to the server: the stream of events with reconnect, and the calls.
///
/// It reads the stream with `fetch`, so that the token is a header and a refusal has a status.
class Session {
    constructor({ token, onMessage, onState }) {
        this.token = token;
        this.onMessage = onMessage;
        this.onState = onState;
        this.state = "connecting";
        this.attempt = 0;
        this.isClosed = false;
        this.abort = null;
        this.timer = null;
    }

    static delays = [500, 1000, 2000, 4000, 5000];
    /// Without a message or comment for this long, the connection counts as lost.
    static silence = 15_000;

    setState(state) {
        this.state = state;
        this.onState(state);
    }

    start() {
        this.isClosed = false;
        clearTimeout(this.timer);
        this.timer = null;
        this.connect();
    }

    stop() {
        this.isClosed = true;
        clearTimeout(this.timer);
        this.abort?.abort();
    }

    /// Reconnects at once if the page waits for the next attempt.
    hurry() {
        if (this.timer !== null && !this.isClosed) this.start();
    }

    async connect() {
        const abort = new AbortController();
        this.abort = abort;
        let watchdog = setTimeout(() => abort.abort(), Session.silence);
        try {
            const response = await fetch("/events", { headers: this.headers(), signal: abort.signal, cache: "no-store" });
            if (response.status === 401 || response.status === 403) {
                await response.body?.cancel();
                return this.setState("refused");
            }
            if (!response.ok) throw new Error(`status ${response.status}`);
            const parser = new EventParser((type, data) => this.receive(type, data));
            const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
            for (;;) {
                const { value, done } = await reader.read();
                if (done) break;
                clearTimeout(watchdog);
                watchdog = setTimeout(() => abort.abort(), Session.silence);
                parser.feed(value);
            }
        } catch (error) {
            if (this.isClosed) return;
        } finally {
            clearTimeout(watchdog);
        }
        if (this.isClosed) return;
        const delay = Session.delays[Math.min(this.attempt, Session.delays.length - 1)];
        this.attempt += 1;
        this.setState("waiting");
        this.timer = setTimeout(() => this.start(), delay);
    }

    receive(type, data) {
        let message;
        try {
            message = JSON.parse(data);
        } catch {
            return;
        }
        if (type === "hello") {
            this.attempt = 0;
            this.setState("live");
        }
        this.onMessage(type, message);
    }

    headers() {
        return { "X-QueryKit-Token": this.token };
    }

    /// Calls a route and returns its JSON. Throws an error with a sentence for people.
    async get(path, parameters = {}) {
        const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined));
        return this.call(`${path}?${query}`, {});
    }

    async post(path, body) {
        return this.call(path, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
    }

    async call(url, options) {
        let response;
        try {
            response = await fetch(url, { ...options, cache: "no-store", headers: { ...this.headers(), ...options.headers } });
        } catch {
            throw new Error("The app can't be reached. Is it still running?");
        }
        const body = await response.json().catch(() => null);
        if (!response.ok) throw new Error(body?.error ?? `The inspector refused the request (status ${response.status}).`);
        return body;
    }
}
