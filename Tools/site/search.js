"use strict";

// Searches site/search.json, which build.py writes: {modules: [name], entries: [[title, kind, module, path, parent, text]]}.

const LIMIT = 40;
const input = document.getElementById("query");
const hint = document.getElementById("hint");
const results = document.getElementById("results");
const contents = document.getElementById("contents");
const help = hint.innerHTML;

let index = null;

// Loads the index once, when the reader begins to search.
function load() {
    index ??= fetch("site/search.json")
        .then((response) => {
            if (!response.ok) throw new Error(`site/search.json: ${response.status}`);
            return response.json();
        })
        .then(({ modules, entries }) =>
            entries.map(([title, kind, module, path, parent, text]) => ({
                title, kind, module: modules[module], path, parent, text,
                name: title.toLowerCase(),
                place: `${parent} ${kind} ${modules[module]}`.toLowerCase(),
                body: text.toLowerCase(),
            })))
        .catch((error) => {
            index = null;
            throw error;
        });
    return index;
}

// How well an entry matches one word; 0 if it doesn't. The name counts more than the place, and the place more than the text.
function score(entry, word) {
    if (entry.name === word || entry.name.split("(")[0] === word) return 100;
    if (entry.name.startsWith(word)) return 60;
    const at = entry.name.indexOf(word);
    if (at > 0) return /[a-z0-9]/.test(entry.name[at - 1]) && entry.title[at] === entry.name[at] ? 25 : 40;
    if (entry.place.includes(word)) return 10;
    return entry.body.includes(word) ? 5 : 0;
}

// Guides and types come before members with the same match.
const weights = { Article: 8, Section: 3, Module: 8, Class: 6, Structure: 6, Protocol: 6, Enumeration: 6 };

function matches(entries, words) {
    const found = [];
    for (const entry of entries) {
        let total = weights[entry.kind] ?? 0;
        if (words.every((word) => {
            const points = score(entry, word);
            total += points;
            return points > 0;
        })) found.push([total, entry]);
    }
    // The sort is stable: equal matches stay in the order of the index, which is the one of the documentation's topics.
    found.sort(([a], [b]) => b - a);
    return found.map(([, entry]) => entry);
}

// Appends a text in which the words are marked.
function appendMarked(parent, text, words) {
    const lower = text.toLowerCase();
    let at = 0;
    while (at < text.length) {
        const next = words
            .map((word) => [lower.indexOf(word, at), word.length])
            .filter(([start]) => start >= 0)
            .sort(([a, m], [b, n]) => a - b || n - m)[0];
        if (!next) break;
        parent.append(text.slice(at, next[0]));
        const mark = document.createElement("mark");
        mark.textContent = text.slice(next[0], next[0] + next[1]);
        parent.append(mark);
        at = next[0] + next[1];
    }
    parent.append(text.slice(at));
}

// The part of a long text around the first word that was searched for.
function excerpt(entry, words) {
    const places = words.map((word) => entry.body.indexOf(word)).filter((place) => place >= 0);
    const start = places.length ? Math.max(0, Math.min(...places) - 60) : 0;
    const begin = start === 0 ? 0 : entry.text.indexOf(" ", start) + 1;
    const part = entry.text.slice(begin, begin + 180);
    return (begin > 0 ? "… " : "") + part + (begin + 180 < entry.text.length ? " …" : "");
}

function row(entry, words) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = entry.path;
    for (const [name, text] of [
        ["title", entry.title],
        ["place", [entry.kind, entry.parent, entry.module].filter(Boolean).join(" · ")],
        ["text", excerpt(entry, words)],
    ]) {
        const part = document.createElement("span");
        part.className = name;
        appendMarked(part, text, name === "place" ? [] : words);
        link.append(part, " ");
    }
    item.append(link);
    return item;
}

function show(isSearching) {
    results.hidden = !isSearching;
    contents.hidden = isSearching;
}

async function search() {
    const query = input.value.trim();
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    history.replaceState(null, "", query ? `?q=${encodeURIComponent(query)}` : location.pathname);
    if (words.length === 0) {
        results.replaceChildren();
        hint.innerHTML = help;
        return show(false);
    }
    try {
        const entries = await load();
        // While the index was being loaded, the reader may have typed more.
        if (input.value.trim() !== query) return;
        const found = matches(entries, words);
        results.replaceChildren(...found.slice(0, LIMIT).map((entry) => row(entry, words)));
        const count = found.length === 1 ? "1 result" : `${found.length} results`;
        hint.textContent = found.length > LIMIT ? `${count}, the best ${LIMIT} are shown` : count;
    } catch (error) {
        results.replaceChildren();
        hint.textContent = location.protocol === "file:"
            ? "The search and the pages need a web server: run make docs-serve."
            : `The index can’t be loaded: ${error.message}`;
    }
    show(true);
}

// The arrow keys move between the field and the results.
function move(event) {
    const links = [...results.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    const isInList = at >= 0 || document.activeElement === input;
    if (event.key === "ArrowDown" && isInList && links[at + 1]) links[at + 1].focus();
    else if (event.key === "ArrowUp" && at >= 0) (links[at - 1] ?? input).focus();
    else if (event.key === "/" && document.activeElement !== input) input.focus();
    else if (event.key === "Escape" && input.value) {
        input.value = "";
        input.focus();
        search();
    } else return;
    event.preventDefault();
}

input.form.addEventListener("submit", (event) => {
    event.preventDefault();
    results.querySelector("a")?.click();
});
input.addEventListener("input", search);
document.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey) move(event);
});

input.value = new URLSearchParams(location.search).get("q") ?? "";
if (input.value) {
    input.focus();
    search();
}
