"use strict";

/// Creates an element. Attributes that begin with "on" are listeners; `text` is the text content; null and false are left out.
/// Data becomes text nodes only, never markup.
function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (name === "text") element.textContent = value;
        else element.setAttribute(name, value === true ? "" : value);
    }
    append(element, children);
    return element;
}

function append(element, children) {
    for (const child of children.flat(Infinity)) {
        if (child === null || child === undefined || child === false) continue;
        element.append(child);
    }
    return element;
}

/// Replaces the children of an element.
function fill(element, ...children) {
    element.replaceChildren();
    return append(element, children);
}

/// Sets the text of an element if it differs, so that unchanged cells cost no layout.
function setText(element, text) {
    if (element.shownText === text) return;
    element.shownText = text;
    element.textContent = text;
}

function setAttribute(element, name, value) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/// The icons, as the path of a 16 by 16 drawing.
const Icons = {
    stores: "M2.5 4h11M2.5 8h11M2.5 12h7",
    timeline: "M2 4h6M5 8h8M3 12h5M11 12h3",
    impact: "M8 2v3M8 11v3M2 8h3M11 8h3M8 8h.01M4 4l1.5 1.5M10.5 10.5L12 12M12 4l-1.5 1.5M4 12l1.5-1.5",
    mutations: "M3 13l.6-2.6L10.8 3.2l2 2L5.6 12.4zM9 5l2 2",
    runtime: "M4 4h8v8H4zM6.5 1.5v2.5M9.5 1.5v2.5M6.5 12v2.5M9.5 12v2.5M1.5 6.5h2.5M1.5 9.5h2.5M12 6.5h2.5M12 9.5h2.5",
    metrics: "M2 13V9M6 13V4M10 13V7M14 13V2",
    pause: "M5.5 3v10M10.5 3v10",
    play: "M4.5 3l8 5-8 5z",
    theme: "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12",
    help: "M6 6a2 2 0 1 1 2.6 1.9c-.4.15-.6.5-.6.9V9.5M8 12h.01",
    save: "M8 2v8M5 7l3 3 3-3M3 13h10",
    open: "M8 10V2M5 5l3-3 3 3M3 13h10",
    tree: "M3 3h4M5 3v9.5h3M5 7.5h3M10 7.5h3M10 12.5h3",
    close: "M4 4l8 8M12 4l-8 8",
    back: "M10 3L5 8l5 5",
    search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5L14 14",
    plus: "M8 3v10M3 8h10",
    minus: "M3 8h10",
    fit: "M2 6V2h4M14 6V2h-4M2 10v4h4M14 10v4h-4",
    more: "M3 8h.01M8 8h.01M13 8h.01",
};

function icon(name) {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("viewBox", "0 0 16 16");
    svg.setAttribute("aria-hidden", "true");
    svg.setAttribute("class", "icon");
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", Icons[name]);
    svg.append(path);
    return svg;
}

/// A button with an icon, a text or both. Without a text the label is its name and its tooltip.
function button({ label, icon: name, text, action, kind = "", shortcut = null, ...rest }) {
    return h(
        "button",
        {
            type: "button",
            class: `button ${kind} ${text ? "" : "bare"}`,
            "aria-label": text && text === label ? null : label,
            title: text ? rest.title : shortcut ? `${label} (${shortcut})` : label,
            "aria-keyshortcuts": shortcut,
            onclick: action,
            ...rest,
        },
        name ? icon(name) : null,
        text ? h("span", { text }) : null,
    );
}

function badge(status) {
    return h("span", { class: `badge ${status}`, text: Status.names[status] ?? status, title: Status.meanings[status] });
}

/// A sentence of `Reasons` as elements.
function sentence(parts) {
    return parts.map((part) => (typeof part === "string" ? part : h("code", { text: part.code })));
}

/// A group of buttons where one is chosen. Arrow keys move the choice, and only the chosen one is a tab stop.
function choice({ label, options, value, onchange, kind = "" }) {
    const buttons = new Map();
    const element = h("div", { class: `choice ${kind}`, role: "radiogroup", "aria-label": label });
    const select = (next) => {
        value = next;
        for (const [key, each] of buttons) {
            each.setAttribute("aria-checked", String(key === value));
            each.tabIndex = key === value ? 0 : -1;
        }
    };
    for (const [key, text] of Object.entries(options)) {
        const each = h(
            "button",
            { type: "button", role: "radio", class: "option", "data-value": key, onclick: () => pick(key) },
            h("span", { text }),
        );
        buttons.set(key, each);
        element.append(each);
    }
    const pick = (key) => {
        select(key);
        onchange(key);
    };
    element.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        event.stopPropagation();
        const keys = [...buttons.keys()];
        const next = keys[(keys.indexOf(value) + step + keys.length) % keys.length];
        pick(next);
        buttons.get(next).focus();
    });
    select(value);
    return { element, buttons, select };
}

/// A section with a heading that can be closed. It remembers by its title whether it is open.
const openSections = new Map();
function section(title, content, { isOpen = true, count = null } = {}) {
    const details = h(
        "details",
        { class: "section", open: openSections.get(title) ?? isOpen },
        h("summary", {}, h("span", { text: title }), count === null ? null : h("span", { class: "count", text: Format.count(count) })),
        h("div", { class: "body" }, content),
    );
    details.addEventListener("toggle", () => openSections.set(title, details.open));
    return details;
}

/// A table of names and texts.
function facts(pairs) {
    return h(
        "dl",
        { class: "facts" },
        pairs.map(([name, text]) => [h("dt", { text: name }), h("dd", {}, text)]),
    );
}

/// A table with headings. Each row is a list of texts or elements.
function table(label, headings, rows) {
    return h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
        h(
            "table",
            {},
            h("caption", { class: "unseen", text: label }),
            h(
                "thead",
                {},
                h(
                    "tr",
                    {},
                    headings.map((text) => h("th", { scope: "col", text })),
                ),
            ),
            h(
                "tbody",
                {},
                rows.map((cells) =>
                    h(
                        "tr",
                        {},
                        cells.map((cell) => h("td", {}, cell)),
                    ),
                ),
            ),
        ),
    );
}

function empty(title, text) {
    return h("div", { class: "empty" }, h("p", { class: "title", text: title }), h("p", { text }));
}

/// Says something to screen readers, and shows it for a few seconds.
function announce(text, kind = "") {
    document.getElementById("announcements").textContent = text;
    const old = document.querySelector(".toast");
    old?.remove();
    const toast = h("div", { class: `toast ${kind}`, "aria-hidden": "true", text });
    document.body.append(toast);
    setTimeout(() => toast.remove(), kind === "error" ? 8000 : 4000);
}

/// The colors of the page by name, for canvases. Reads the style sheet once per theme.
const Palette = {
    cache: new Map(),
    get(name) {
        if (!Palette.cache.has(name)) {
            Palette.cache.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
        }
        return Palette.cache.get(name);
    },
    forget() {
        Palette.cache.clear();
    },
};

/// Gives a canvas the size of its box in device pixels, and returns its context in CSS pixels.
/// `size` comes from a ResizeObserver, so that drawing never reads the layout.
function prepare(canvas, { width, height }) {
    const ratio = window.devicePixelRatio || 1;
    const wide = Math.max(1, Math.round(width * ratio));
    const high = Math.max(1, Math.round(height * ratio));
    if (canvas.width !== wide) canvas.width = wide;
    if (canvas.height !== high) canvas.height = high;
    // Drawn by the processor: the page has many small canvases that change often, and each would be copied to the graphics card.
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
}

/// Calls back with the content size of an element, at first and whenever it changes.
function observeSize(element, callback) {
    new ResizeObserver((entries) => {
        const box = entries.at(-1).contentRect;
        callback({ width: box.width, height: box.height });
    }).observe(element);
}
