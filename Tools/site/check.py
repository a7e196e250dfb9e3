#!/usr/bin/env python3
"""Checks the site of the documentation, and prints each mistake.

  check.py SITE [ROOT]   checks a site that was made from a tree, by default from the one that contains this script
  check.py --self-test   checks that each mistake is found, and that nothing is reported in a valid site

- Each link of the start page, and each entry of the search, leads to a file of the site, and each anchor to a heading.
- Each module, article and symbol is in the index of the search, and each module and article on the start page.
- No line of a sample has more than 72 columns, in articles and in doc comments.
- Each image that a page shows is in the site.
- Each page has our style sheet. The classes that it styles exist in DocC's pages, so samples still wrap and wide tables still scroll.
"""
import html.parser
import json
import pathlib
import re
import sys
import tempfile
import urllib.parse

MAX_COLUMNS = 72
# What the style sheet must say, by the class that it says it about.
RULES = {
    "code-line-container": ["white-space: pre-wrap", "overflow-wrap: anywhere"],
    "declaration-group": ["white-space: pre-wrap", "overflow-wrap: anywhere"],
    "table-wrapper": ["overflow-x: auto"],
}
# Classes of our own bar, which DocC doesn't know.
OWN_CLASSES = {"site-bar"}


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.links += [value for name, value in attributes if name in ("href", "src") and value]


def values(tree, kind):
    """Returns all objects of a type in a tree of JSON."""
    if isinstance(tree, list):
        for part in tree:
            yield from values(part, kind)
    elif isinstance(tree, dict):
        if tree.get("type") == kind:
            yield tree
        for part in tree.values():
            yield from values(part, kind)


class Checker:
    def __init__(self, site, root):
        self.site, self.root = site, root
        self.mistakes = []
        self.pages = {}
        for file in sorted((site / "data/documentation").glob("**/*.json")):
            page = json.loads(file.read_text(encoding="utf-8"))
            self.pages["/" + str(file.relative_to(site / "data"))[: -len(".json")]] = page

    def report(self, mistake):
        self.mistakes.append(mistake)

    def run(self):
        links = Links((self.site / "index.html").read_text(encoding="utf-8")).links
        index = json.loads((self.site / "site/search.json").read_text(encoding="utf-8"))
        entries = [entry[3] for entry in index["entries"]]
        for link in links:
            self.resolve(link, "the start page")
        for link in entries:
            self.resolve(link, "the search")
        self.check_completeness({self.path(link) for link in links}, {self.path(link) for link in entries})
        self.check_samples()
        self.check_images()
        self.check_style()
        return self.mistakes

    @staticmethod
    def path(link):
        return "/" + urllib.parse.unquote(link.split("#")[0]).strip("/")

    def resolve(self, link, place):
        address = urllib.parse.urlsplit(link)
        if address.scheme or link.startswith("/"):
            return self.report(f"{place}: the link {link} is not relative")
        file = self.site / urllib.parse.unquote(address.path)
        if file.is_dir():
            file = file / "index.html"
        if not file.is_file():
            return self.report(f"{place}: the link {link} leads to no file")
        if address.fragment:
            page = self.pages.get(self.path(link), {})
            anchors = {heading.get("anchor") for heading in values(page.get("primaryContentSections", []), "heading")}
            if urllib.parse.unquote(address.fragment) not in anchors:
                self.report(f"{place}: the link {link} leads to no heading")

    def check_completeness(self, linked, found):
        for catalog in sorted(self.root.glob("Sources/**/*.docc")):
            module = catalog.name[: -len(".docc")].lower()
            for article in sorted(catalog.glob("**/*.md")):
                name = article.stem.lower()
                path = f"/documentation/{module}" + ("" if name == module else f"/{name}")
                source = article.relative_to(self.root)
                if path not in linked:
                    self.report(f"{source}: the start page has no link to it")
                if path not in found:
                    self.report(f"{source}: the search doesn't find it")
        for path, page in self.pages.items():
            metadata = page.get("metadata", {})
            is_copy = "::SYNTHESIZED::" in metadata.get("externalID", "")
            if metadata.get("role") == "symbol" and not is_copy and path not in found:
                self.report(f"{path}: the search doesn't find it")
            if metadata.get("symbolKind") == "module" and path not in linked:
                self.report(f"{path}: the start page has no link to it")

    def check_samples(self):
        seen = set()
        for path, page in self.pages.items():
            for sample in values(page, "codeListing"):
                for line in sample["code"]:
                    if len(line) > MAX_COLUMNS and line not in seen:
                        # The members of a protocol are repeated on the pages of its types.
                        seen.add(line)
                        self.report(f"{path}: a line with {len(line)} columns, more than {MAX_COLUMNS}: {line.strip()}")

    def check_images(self):
        for path, page in self.pages.items():
            references = page.get("references", {})
            for image in values(page.get("primaryContentSections", []), "image"):
                variants = references.get(image["identifier"], {}).get("variants", [])
                if not variants:
                    self.report(f"{path}: the image {image['identifier']} is missing")
                for variant in variants:
                    # The address begins with the base path of the site.
                    if not (self.site / urllib.parse.unquote(variant["url"][variant["url"].index("images/"):])).is_file():
                        self.report(f"{path}: the image {variant['url']} is missing")

    def check_style(self):
        style = (self.site / "site/docc.css").read_text(encoding="utf-8")
        renderer = "".join(
            file.read_text(encoding="utf-8")
            for folder in ("css", "js") for file in sorted((self.site / folder).glob("*")) if file.suffix in (".css", ".js")
        )
        plain = re.sub(r"/\*.*?\*/", "", style, flags=re.S)
        selectors = " ".join(re.findall(r"([^{}]*)\{", plain))
        for name in sorted(set(re.findall(r"\.(-?[a-zA-Z][\w-]*)", selectors)) - OWN_CLASSES):
            if name not in renderer:
                self.report(f"site/docc.css: DocC's pages have no class {name}")
        for name, wanted in RULES.items():
            bodies = " ".join(body for selector, body in re.findall(r"([^{}]*)\{([^{}]*)\}", plain) if f".{name}" in selector)
            for rule in wanted:
                if rule not in bodies:
                    self.report(f"site/docc.css: .{name} has no rule {rule}")
        for file in sorted((self.site / "documentation").glob("**/index.html")):
            text = file.read_text(encoding="utf-8")
            if "/site/docc.css" not in text or "site-bar" not in text:
                self.report(f"{file.relative_to(self.site)}: the page doesn't have our style sheet and bar")


# --- The self-test: a site in a temporary folder with one mistake at a time. ---

ARTICLE = {
    "metadata": {"role": "article", "title": "Start"},
    "primaryContentSections": [{"content": [
        {"type": "heading", "text": "First steps", "anchor": "First-steps"},
        {"type": "codeListing", "code": ["x" * MAX_COLUMNS]},
        {"type": "image", "identifier": "Layers.svg"},
    ]}],
    "references": {"Layers.svg": {"variants": [{"url": "/base/images/Kit/Layers.svg"}]}},
}
PAGE = '<link href="/base/site/docc.css" rel="stylesheet"><header class="site-bar"></header>'
STYLE = "".join(f".{name} {{ {'; '.join(rules)}; }}\n" for name, rules in RULES.items()) + "/* .gone */ .site-bar { margin: 0.5em; }"


def valid():
    return {
        "tree/Sources/Kit/Kit.docc/Kit.md": "",
        "tree/Sources/Kit/Kit.docc/Start.md": "",
        "data/documentation/kit.json": {"metadata": {"role": "collection", "symbolKind": "module"}},
        "data/documentation/kit/start.json": ARTICLE,
        "data/documentation/kit/store/f(_:).json": {"metadata": {"role": "symbol", "externalID": "s:f"}},
        "data/documentation/kit/copy.json": {"metadata": {"role": "symbol", "externalID": "s:f::SYNTHESIZED::s:g"}},
        "documentation/kit/index.html": PAGE,
        "documentation/kit/start/index.html": PAGE,
        "documentation/kit/store/f(_:)/index.html": PAGE,
        "images/Kit/Layers.svg": "",
        "css/index.css": "." + ",.".join(RULES),
        "site/docc.css": STYLE,
        "site/search.json": {"modules": ["Kit"], "entries": [
            ["Kit", "Module", 0, "documentation/kit/", "", ""],
            ["Start", "Article", 0, "documentation/kit/start/", "", ""],
            ["First steps", "Section", 0, "documentation/kit/start/#First-steps", "Start", ""],
            ["f(_:)", "Method", 0, "documentation/kit/store/f(_:)/", "Store", ""],
        ]},
        "index.html": '<link href="site/docc.css"><a href="documentation/kit/">Kit</a><a href="documentation/kit/start/">Start</a>',
    }


def mistakes_of(files):
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder)
        for name, content in files.items():
            file = site / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return Checker(site, site / "tree").run()


def breach(name, old, new, message):
    """Replaces a text in one file of a valid site, or removes the file, and expects one mistake."""
    files = valid()
    content = files[name] if isinstance(files[name], str) else json.dumps(files[name])
    if old is None:
        del files[name]
    else:
        if old not in content:
            sys.exit(f"check.py: the self-test has no {old} in {name}")
        files[name] = content.replace(old, new)
    mistakes = mistakes_of(files)
    if len(mistakes) != 1 or message not in mistakes[0]:
        sys.exit(f"check.py: the self-test failed for {name}, {old}: expected {message!r}, found {mistakes}")


def self_test():
    mistakes = mistakes_of(valid())
    if mistakes:
        sys.exit(f"check.py: the self-test failed: a valid site has {mistakes}")
    breach("index.html", 'link href="site/docc.css"', 'link href="site/gone.css"', "the link site/gone.css leads to no file")
    breach("index.html", 'link href="site/docc.css"', 'link href="/site/docc.css"', "is not relative")
    breach("index.html", '<a href="documentation/kit/start/">', "", "Start.md: the start page has no link to it")
    breach("documentation/kit/store/f(_:)/index.html", None, None, "the link documentation/kit/store/f(_:)/ leads to no file")
    breach("site/search.json", "#First-steps", "#First", "leads to no heading")
    breach("site/search.json", '["f(_:)", "Method", 0, "documentation/kit/store/f(_:)/", "Store", ""]',
           '["Kit", "Module", 0, "documentation/kit/", "", ""]', "/documentation/kit/store/f(_:): the search doesn't find it")
    breach("data/documentation/kit/start.json", "x" * MAX_COLUMNS, "x" * (MAX_COLUMNS + 1), "a line with 73 columns")
    breach("images/Kit/Layers.svg", None, None, "the image /base/images/Kit/Layers.svg is missing")
    breach("data/documentation/kit/start.json", '[{"url": "/base/images/Kit/Layers.svg"}]', "[]", "the image Layers.svg is missing")
    breach("site/docc.css", "overflow-x: auto", "overflow: hidden", ".table-wrapper has no rule overflow-x: auto")
    breach("site/docc.css", ".code-line-container { white-space: pre-wrap;", ".code-line-container {", "has no rule white-space: pre-wrap")
    breach("site/docc.css", ".declaration-group { white-space: pre-wrap;", ".declaration-group {", "has no rule white-space: pre-wrap")
    breach("css/index.css", "table-wrapper", "table-frame", "DocC's pages have no class table-wrapper")
    breach("documentation/kit/start/index.html", "/site/docc.css", "/site/other.css", "doesn't have our style sheet")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if not sys.argv[1:]:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[2]) if sys.argv[2:] else pathlib.Path(__file__).resolve().parent.parent.parent
    checker = Checker(pathlib.Path(sys.argv[1]), root)
    mistakes = checker.run()
    if mistakes:
        sys.exit("\n".join(["The site has mistakes:", *mistakes]))
    print(f"The site has no mistakes: {len(checker.pages)} pages checked.")


main()
