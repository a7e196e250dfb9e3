// Measures the page as it is shown: texts without enough contrast, and controls that are cut off. Returns the findings.
(() => {
    const parse = (color) => {
        const canvas = parse.canvas ?? (parse.canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true }));
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
        return [red, green, blue, alpha / 255];
    };
    const over = (top, bottom) => [0, 1, 2].map((index) => top[index] * top[3] + bottom[index] * (1 - top[3])).concat(1);
    const luminance = (color) => {
        const [red, green, blue] = color.map((value) =>
            value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
        );
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const background = (element) => {
        const layers = [];
        for (let each = element; each; each = each.parentElement) layers.push(parse(getComputedStyle(each).backgroundColor));
        return layers.reverse().reduce((bottom, top) => over(top, bottom), [255, 255, 255, 1]);
    };
    const isShown = (element) =>
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && element.getBoundingClientRect().width > 1;
    const describe = (element) =>
        `${element.tagName.toLowerCase()}.${element.className} ` +
        `"${(element.getAttribute("aria-label") ?? element.textContent).slice(0, 40)}"`;
    const findings = [];

    const seen = new Set();
    let texts = 0;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (
            !walker.currentNode.data.trim() ||
            ["SCRIPT", "STYLE", "NOSCRIPT", "OPTION"].includes(element.tagName) ||
            element.closest(".unseen, .skip") ||
            !isShown(element)
        )
            continue;
        const style = getComputedStyle(element);
        const behind = background(element);
        const key = `${style.color} ${behind}`;
        texts += 1;
        if (seen.has(key)) continue;
        seen.add(key);
        const [light, dark] = [luminance(over(parse(style.color), behind)), luminance(behind)].sort((left, right) => right - left);
        const ratio = (light + 0.05) / (dark + 0.05);
        if (ratio < 4.5) findings.push(`contrast ${ratio.toFixed(2)}: ${describe(element)}`);
    }

    if (document.documentElement.scrollWidth > innerWidth)
        findings.push(`the page is ${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`);
    for (const element of document.querySelectorAll("button, a, input, select, textarea, summary")) {
        if (!isShown(element) || element.closest(".skip, .chips, .scroll, .row")) continue;
        const box = element.getBoundingClientRect();
        if (box.left < -1 || box.right > innerWidth + 1)
            findings.push(`cut off at ${Math.round(box.left)}–${Math.round(box.right)}: ${describe(element)}`);
        if (element.scrollWidth > element.clientWidth + 2 && element.tagName === "BUTTON")
            findings.push(`its text does not fit: ${describe(element)}`);
    }
    for (const list of document.querySelectorAll(".list")) {
        const boxes = [...list.querySelectorAll(".row")].filter(isShown).map((row) => row.getBoundingClientRect());
        boxes.sort((left, right) => left.top - right.top);
        for (const [index, box] of boxes.slice(1).entries()) {
            if (Math.abs(box.top - boxes[index].bottom) > 1) findings.push(`rows ${box.top - boxes[index].bottom} px apart`);
        }
    }
    return { texts, findings };
})();
