#!/usr/bin/env python3
"""Checks the site of the documentation. Fails, and prints each mistake.

  check.py SITE [ROOT]   checks a site that was made from a tree, by default from the one that contains this script

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


def main():
    if not sys.argv[1:]:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[2]) if sys.argv[2:] else pathlib.Path(__file__).resolve().parent.parent.parent
    checker = Checker(pathlib.Path(sys.argv[1]), root)
    mistakes = checker.run()
    if mistakes:
        sys.exit("\n".join(["The site has mistakes:", *mistakes]))
    print(f"The site has no mistakes: {len(checker.pages)} pages checked.")


main()
