"use strict";

// Sets how many spaces each line of code begins with, for docc.css. DocC draws its pages with JavaScript, also when the reader follows a link.
function indent() {
    for (const line of document.querySelectorAll(".code-line-container:not([data-indented])")) {
        line.dataset.indented = "";
        line.style.setProperty("--indent", line.textContent.match(/^ */)[0].length);
    }
}

new MutationObserver(indent).observe(document.documentElement, { childList: true, subtree: true });
indent();
