"use strict";

/// A list of any length that has elements only for the rows in view.
///
/// It is one tab stop. Arrow keys, Page Up, Page Down, Home and End move the active row; Enter opens it. The rows are placed by transforms,
/// and an update of data writes only texts that differ.
class VirtualList {
    /// - `role`: "grid" or "treegrid".
    /// - `makeRow()` returns `{element, update(item, index, now)}`.
    /// - `onOpen(item, index)`, and `onKey(event, item, index)` for further keys; it returns true if it has handled the key.
    constructor({
        label,
        role = "grid",
        header = null,
        rowHeight = 32,
        makeRow,
        onOpen = () => {},
        onKey = () => false,
        onActive = () => {},
    }) {
        VirtualList.number = (VirtualList.number ?? 0) + 1;
        this.prefix = `row${VirtualList.number}-`;
        this.makeRow = makeRow;
        this.onOpen = onOpen;
        this.onKey = onKey;
        this.onActive = onActive;
        this.rowHeight = rowHeight;
        this.items = [];
        this.pool = [];
        this.first = 0;
        this.active = -1;
        this.height = 0;
        this.hasHeader = header !== null;
        this.spacer = h("div", { class: "spacer", role: "presentation" });
        this.scroller = h("div", { class: "scroller", role: "rowgroup", tabindex: "-1" }, this.spacer);
        this.element = h("div", { class: "list", role, tabindex: "0", "aria-label": label }, header, this.scroller);
        this.scroller.addEventListener("scroll", () => this.schedule(), { passive: true });
        this.element.addEventListener("keydown", (event) => this.key(event));
        this.spacer.addEventListener("click", (event) => this.click(event));
        observeSize(this.scroller, ({ height }) => {
            this.height = height;
            // The headings end where the rows end, beside the scroll bar.
            header?.style.setProperty("--scrollbar", `${this.scroller.offsetWidth - this.scroller.clientWidth}px`);
            this.schedule();
        });
    }

    setRowHeight(height) {
        if (height === this.rowHeight) return;
        this.rowHeight = height;
        this.spacer.style.height = `${this.items.length * height}px`;
        for (const row of this.pool) row.index = -1;
        this.schedule();
    }

    setItems(items) {
        if (items.length !== this.items.length) {
            this.spacer.style.height = `${items.length * this.rowHeight}px`;
            setAttribute(this.element, "aria-rowcount", String(items.length + (this.hasHeader ? 1 : 0)));
        }
        this.items = items;
        if (this.active >= items.length) this.setActive(items.length - 1, false);
        this.schedule();
    }

    schedule() {
        if (this.frame) return;
        this.frame = requestAnimationFrame(() => {
            this.frame = null;
            this.render();
        });
    }

    render() {
        const top = this.scroller.scrollTop;
        const first = Math.max(0, Math.floor(top / this.rowHeight) - 2);
        const count = Math.min(this.items.length - first, Math.ceil(this.height / this.rowHeight) + 5);
        while (this.pool.length < count) this.addRow();
        const used = new Set();
        // A row keeps its element while it stays in view, so that scrolling by one row rewrites one row.
        for (let index = first; index < first + count; index += 1) {
            const row = this.pool[index % this.pool.length];
            used.add(row);
            if (row.index !== index) {
                row.index = index;
                row.element.style.transform = `translateY(${index * this.rowHeight}px)`;
                setAttribute(row.element, "aria-rowindex", String(index + (this.hasHeader ? 2 : 1)));
            }
            if (row.isHidden !== false) row.element.hidden = row.isHidden = false;
            row.update(this.items[index], index);
            const isActive = index === this.active;
            if (row.isActive !== isActive) {
                row.isActive = isActive;
                row.element.classList.toggle("active", isActive);
            }
        }
        // An active row out of view has no element.
        const active = this.active >= first && this.active < first + count ? this.pool[this.active % this.pool.length].element.id : "";
        if (active) setAttribute(this.element, "aria-activedescendant", active);
        else this.element.removeAttribute("aria-activedescendant");
        for (const row of this.pool) {
            if (used.has(row) || row.isHidden) continue;
            row.element.hidden = row.isHidden = true;
            row.isActive = false;
            row.element.classList.remove("active");
            row.index = -1;
        }
    }

    addRow() {
        const row = this.makeRow();
        row.index = -1;
        row.element.id = this.prefix + this.pool.length;
        row.element.setAttribute("role", "row");
        row.element.classList.add("row");
        this.pool.push(row);
        this.spacer.append(row.element);
        // The place of a row in the pool is its index modulo the length, which has just changed.
        for (const each of this.pool) each.index = -1;
    }

    setActive(index, isVisible = true) {
        if (index === this.active) return;
        this.active = index;
        if (index >= 0 && isVisible) this.reveal(index);
        this.onActive(this.items[index] ?? null, index);
        this.schedule();
    }

    reveal(index) {
        const top = index * this.rowHeight;
        const scroller = this.scroller;
        if (top < scroller.scrollTop) scroller.scrollTop = top;
        else if (top + this.rowHeight > scroller.scrollTop + this.height) scroller.scrollTop = top + this.rowHeight - this.height;
    }

    key(event) {
        if (event.target !== this.element && event.target !== this.scroller) return;
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const last = this.items.length - 1;
        const page = Math.max(1, Math.floor(this.height / this.rowHeight) - 1);
        const moves = {
            ArrowDown: this.active + 1,
            j: this.active + 1,
            ArrowUp: Math.max(0, this.active - 1),
            k: Math.max(0, this.active - 1),
            PageDown: this.active + page,
            PageUp: Math.max(0, this.active - page),
            Home: 0,
            End: last,
        };
        const item = this.items[this.active];
        if (item && this.onKey(event, item, this.active)) {
            event.preventDefault();
        } else if (event.key in moves) {
            event.preventDefault();
            this.setActive(Math.min(moves[event.key], last));
        } else if ((event.key === "Enter" || event.key === " ") && item) {
            event.preventDefault();
            this.onOpen(item, this.active);
        }
    }

    click(event) {
        const element = event.target.closest(".row");
        const row = this.pool.find((each) => each.element === element);
        if (!row || row.index < 0) return;
        this.setActive(row.index, false);
        this.onOpen(this.items[row.index], row.index, event);
    }
}
