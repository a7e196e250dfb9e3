#!/usr/bin/env python3
"""Writes the start page of the documentation, and the index of its search, into a site that docc merge has made.

  build.py SITE   SITE/index.html is replaced; the rest of the start page is in SITE/site
"""
import html
import json
import pathlib
import shutil
import sys
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
# What DocC calls the kinds of pages in its navigator, and readers know as.
KINDS = {
    "article": "Article", "associatedtype": "Associated type", "case": "Case", "class": "Class", "enum": "Enumeration", "func": "Function",
    "init": "Initializer", "macro": "Macro", "method": "Method", "module": "Module", "op": "Operator", "property": "Property",
    "protocol": "Protocol", "struct": "Structure", "subscript": "Subscript", "typealias": "Type alias", "var": "Variable",
}


def text_of(content):
    """Returns the words of a tree of DocC's content, without code blocks and tables of contents."""
    if isinstance(content, list):
        return "".join(map(text_of, content))
    kind = content.get("type")
    if kind == "codeListing":
        return ""
    if kind == "heading":
        return "" if content["text"] == "Overview" else content["text"] + ". "
    own = content.get("text") or content.get("code") or content.get("title") or ""
    if not isinstance(own, str):
        own = ""
    parts = [content.get(key) for key in ("inlineContent", "content", "items", "rows") if content.get(key)]
    inner = "".join(text_of(cell) for part in parts for cell in part)
    return own + inner + (" " if kind in (None, "paragraph") else "")


class Site:
    def __init__(self, folder):
        self.folder = folder
        navigator = json.loads((folder / "index/index.json").read_text(encoding="utf-8"))["interfaceLanguages"]["swift"]
        # Above the modules is the landing page that docc merge adds.
        self.modules = [node for root in navigator for node in root.get("children", []) if node.get("type") == "module"]
        self.pages = {}
        self.added = set()
        self.entries = []
        self.articles = {}
        for number, module in enumerate(self.modules):
            self.articles[number] = []
            self.add(module, number, [])
        self.add_unlisted()

    def add_unlisted(self):
        """Adds symbols that the navigator doesn't list: what implements a member of another module's protocol."""
        numbers = {module["path"]: number for number, module in enumerate(self.modules)}
        for file in sorted(self.folder.glob("data/documentation/**/*.json")):
            path = "/" + str(file.relative_to(self.folder / "data"))[: -len(".json")]
            metadata = self.page(path)["metadata"]
            module = "/".join(path.split("/")[:3])
            if path in self.added or metadata.get("role") != "symbol" or self.is_copy(path) or module not in numbers:
                continue
            self.added.add(path)
            owner = self.page(path.rpartition("/")[0])["metadata"]["title"]
            kind = KINDS.get(metadata.get("symbolKind"), "Property")
            self.entries.append([metadata["title"], kind, numbers[module], link(path), owner, self.abstract(path)])

    def page(self, path):
        if path not in self.pages:
            self.pages[path] = json.loads((self.folder / f"data{path}.json").read_text(encoding="utf-8"))
        return self.pages[path]

    def abstract(self, path):
        page = self.page(path)
        references = page.get("references", {})

        def inline(part):
            if part.get("type") == "reference":
                return references.get(part["identifier"], {}).get("title", "")
            return text_of(part)
        return "".join(map(inline, page.get("abstract", []))).strip()

    def add(self, node, module, parents):
        """Adds a node of the navigator, and the nodes below it. A page that is listed twice is added once."""
        path = node.get("path")
        kind = self.kind(node) if path else None
        if kind and path not in self.added and not self.is_copy(path):
            self.added.add(path)
            page = self.page(path)
            title = page["metadata"]["title"]
            text = self.abstract(path)
            if kind == "Article":
                self.articles[module].append(path)
                self.add_sections(page, title, module)
            body = text_of(self.content(page)) if kind in ("Article", "Module") else ""
            parent = parents[-1] if parents and kind != "Article" else ""
            self.entries.append([title, kind, module, link(path), parent, " ".join(f"{text} {body}".split())])
            if kind not in ("Article", "Module"):
                parents = [*parents, title]
        for child in node.get("children", []):
            self.add(child, module, parents)

    def kind(self, node):
        """Returns what readers call a page; nothing for a list of members that DocC generates."""
        if node["type"] == "symbol" and self.content(self.page(node["path"])):
            # DocC calls an article an API collection if it lists symbols.
            return "Article"
        return KINDS.get(node["type"])

    def is_copy(self, path):
        """Whether a page repeats the documentation of a protocol's member for a type that conforms to the protocol."""
        return "::SYNTHESIZED::" in self.page(path)["metadata"].get("externalID", "")

    def content(self, page):
        return [part for section in page.get("primaryContentSections", []) for part in section.get("content", [])]

    def add_sections(self, page, article, module):
        path = page["variants"][0]["paths"][0]
        for part in self.content(page):
            if part.get("type") == "heading" and part["text"] != "Overview":
                anchor = "#" + urllib.parse.quote(part["anchor"])
                self.entries.append([part["text"], "Section", module, link(path) + anchor, article, ""])


def link(path):
    """Returns the address of a page, relative to the start page."""
    return urllib.parse.quote(path.lstrip("/"), safe="/:@!$&'()*+,;=~") + "/"


def card(title, text, path, level):
    return (f'<li class="card"><{level}><a href="{html.escape(link(path))}">{html.escape(title)}</a></{level}>'
            f"<p>{html.escape(text)}</p></li>")


def main():
    folder = pathlib.Path(sys.argv[1])
    site = Site(folder)
    modules = "\n".join(card(module["title"], site.abstract(module["path"]), module["path"], "h3") for module in site.modules)
    guides = "\n".join(
        f"<h2>Guides to {html.escape(site.modules[number]['title'])}</h2>\n<ul class=\"grid\">\n"
        + "\n".join(card(site.page(path)["metadata"]["title"], site.abstract(path), path, "h3") for path in paths)
        + "\n</ul>"
        for number, paths in site.articles.items() if paths
    )
    template = (HERE / "root.html").read_text(encoding="utf-8")
    (folder / "index.html").write_text(template.replace("{{MODULES}}", modules).replace("{{GUIDES}}", guides), encoding="utf-8")
    target = folder / "site"
    target.mkdir(exist_ok=True)
    for name in ("root.css", "search.js"):
        shutil.copy(HERE / name, target)
    index = {"modules": [module["title"] for module in site.modules], "entries": site.entries}
    (target / "search.json").write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


main()
