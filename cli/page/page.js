// What a page can do beyond its links and <details>. Nothing here makes markup of text.
"use strict";
(() => {
    const MATCHES_MAX = 2000;
    // highlight.js takes the square of the length for some texts: 80 ms for the worst known block of 2048, 7 s for 8192.
    const CODE_MAX = 2048, CODE_MS_MAX = 200, CODE_SUM_MS_MAX = 1000;
    const main = document.getElementById("path");

    function make(name, text, attributes) {
        const element = document.createElement(name);
        element.append(text);
        for (const key in attributes) element.setAttribute(key, attributes[key]);
        return element;
    }

    // --- The list of sessions: words and a directory choose from it ---

    if (main.classList.contains("sessions")) {
        const rows = [...main.querySelectorAll(".session")].map((element) =>
            ({ element, text: element.textContent.toLowerCase(), directory: element.querySelector(".directory").textContent }));
        const words = make("input", "", { type: "search", placeholder: "Filter", "aria-label": "Sessions with these words", autocomplete: "off" });
        const places = make("select", "", { "aria-label": "Directory" });
        const count = make("output", "", { "aria-live": "polite" });
        places.append(make("option", "every directory", { value: "" }));
        for (const name of [...new Set(rows.map((row) => row.directory))].sort()) if (name) places.append(make("option", name, { value: name }));
        const choose = () => {
            const wanted = words.value.toLowerCase().split(/\s+/);
            let shown = 0;
            for (const row of rows) {
                const fits = (!places.value || row.directory === places.value) && wanted.every((word) => row.text.includes(word));
                row.element.hidden = !fits;
                shown += fits;
            }
            for (const day of main.querySelectorAll(".day")) day.hidden = !day.querySelector(".session:not([hidden])");
            count.value = shown < rows.length ? shown + " of " + rows.length : "";
        };
        words.oninput = places.onchange = choose;
        const bar = make("div", "", { class: "bar", role: "search" });
        bar.append(words, count, places);
        main.before(bar);
        choose(); // a browser may have kept the words of an earlier visit
        return;
    }

    // --- The way back to the session ---

    const back = document.querySelector(".back");
    if (back) {
        const button = make("button", "copy", { type: "button" });
        button.onclick = async () => {
            const code = back.querySelector("code");
            let copied = true;
            try {
                await navigator.clipboard.writeText(code.textContent);
            } catch { // a page of a file may have no clipboard
                getSelection().selectAllChildren(code);
                copied = document.execCommand("copy");
            }
            button.textContent = copied ? "copied" : "selected";
            setTimeout(() => { button.textContent = "copy"; }, 2000);
        };
        back.append(button);
    }

    // --- Filter ---

    const bar = make("div", "", { class: "bar", role: "search" });
    const filter = make("select", "", { "aria-label": "Entries shown" });
    for (const [value, of] of [["all", ""], ["no tools", ""], ["prompts", "[data-role=user]"], ["labelled", "[data-label]"]]) {
        const count = of ? " (" + main.querySelectorAll(".entry" + of).length + ")" : "";
        filter.append(make("option", value + count, { value }));
    }
    const show = (what) => { filter.value = main.dataset.show = what; };
    filter.onchange = () => show(filter.value);
    show("all");

    // Opens what hides an element.
    function reveal(element) {
        for (let at = element; at; at = at.parentElement) if (at.localName === "details") at.open = true;
        if (!element.checkVisibility()) show("all");
    }

    function follow() {
        let id = location.hash.slice(1);
        try { id = decodeURIComponent(id); } catch { /* as it is */ }
        const target = id && document.getElementById(id);
        if (!target) return;
        reveal(target);
        target.scrollIntoView();
    }
    addEventListener("hashchange", follow);

    // --- Search ---

    const input = make("input", "", { type: "search", placeholder: "Search", "aria-label": "Search in the page", autocomplete: "off", enterkeyhint: "next" });
    const found = make("output", "", { "aria-live": "polite" });
    const buttons = [["Previous match", "↑", -1], ["Next match", "↓", 1]].map(([label, text, by]) => {
        const button = make("button", text, { type: "button", "aria-label": label, hidden: "" });
        button.onclick = () => go(by);
        return button;
    });
    let matches = [], at = -1, timer = 0;

    const paint = (name, ranges) => { if (CSS.highlights) CSS.highlights.set(name, new Highlight(...ranges)); };

    // Adds the matches of an element. A match may lie in several text nodes.
    function searchIn(element, expression) {
        const text = element.textContent;
        expression.lastIndex = 0;
        let match = expression.exec(text);
        if (!match) return;
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        let node = walker.nextNode(), start = 0;
        const point = (offset) => {
            while (offset > start + node.length) { start += node.length; node = walker.nextNode(); }
            return [node, offset - start];
        };
        for (; match && matches.length < MATCHES_MAX; match = expression.exec(text)) {
            const range = new Range();
            range.setStart(...point(match.index + 1));
            range.setStart(node, range.startOffset - 1);
            range.setEnd(...point(match.index + match[0].length));
            matches.push(range);
        }
    }

    function search() {
        clearTimeout(timer);
        timer = 0;
        matches = [];
        at = -1;
        const words = input.value.trim();
        if (words) {
            const expression = new RegExp(words.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
            for (const entry of main.querySelectorAll(".entry")) searchIn(entry, expression);
        }
        paint("found", matches);
        paint("here", []);
        for (const button of buttons) button.hidden = matches.length === 0;
        tell(words);
    }

    function tell(words) {
        const count = matches.length < MATCHES_MAX ? matches.length : MATCHES_MAX + " or more";
        found.value = !words ? "" : matches.length === 0 ? "nothing" : at < 0 ? String(count) : at + 1 + " of " + count;
    }

    function go(by) {
        if (timer) search();
        if (matches.length === 0) return;
        at = at < 0 && by < 0 ? matches.length - 1 : (at + by + matches.length) % matches.length;
        const range = matches[at], element = range.startContainer.parentElement;
        reveal(element);
        element.scrollIntoView({ block: "nearest" });
        scrollBy(0, range.getBoundingClientRect().top - innerHeight / 3);
        paint("here", [range]);
        tell(input.value);
    }

    input.oninput = () => { clearTimeout(timer); timer = setTimeout(search, 150); };
    input.onkeydown = (event) => { if (event.key === "Enter") go(event.shiftKey ? -1 : 1); };
    bar.append(input, found, ...buttons, filter);
    document.querySelector(".top").after(bar);

    // --- The map: one tab stop ---

    const map = document.querySelector(".map");
    const nodes = new Map(); // from an anchor to a link of the map, and where it is drawn
    for (const link of map ? map.querySelectorAll("a") : []) {
        const circle = link.querySelector("circle");
        link.setAttribute("tabindex", -1);
        if (circle) nodes.set(link.getAttribute("href").slice(1), { link, x: +circle.getAttribute("cx"), y: +circle.getAttribute("cy") });
    }
    let stop = null;

    function stopAt(node) {
        if (stop) stop.link.setAttribute("tabindex", -1);
        stop = node;
        node.link.setAttribute("tabindex", 0);
    }

    // The nearest node in a direction: one in the same lane or row comes first.
    function nearest(key) {
        const along = key === "ArrowUp" || key === "ArrowDown", sign = key === "ArrowDown" || key === "ArrowRight" ? 1 : -1;
        let best = null, least = Infinity;
        for (const node of nodes.values()) {
            const dx = node.x - stop.x, dy = node.y - stop.y;
            const ahead = sign * (along ? dy : dx), aside = Math.abs(along ? dx : dy);
            const cost = along ? ahead + aside * 1000 : ahead * 1000 + aside;
            if (ahead > 0 && cost < least) { best = node; least = cost; }
        }
        return best;
    }

    if (nodes.size > 0) {
        stopAt(nodes.values().next().value);
        map.addEventListener("keydown", (event) => {
            const all = [...nodes.values()];
            const node = event.key === "Home" ? all[0] : event.key === "End" ? all.at(-1) : event.key.startsWith("Arrow") ? nearest(event.key) : null;
            if (!node || event.ctrlKey || event.altKey || event.metaKey) return;
            event.preventDefault();
            stopAt(node);
            node.link.focus();
        });
        map.addEventListener("focusin", (event) => {
            const node = nodes.get((event.target.getAttribute("href") || "").slice(1));
            if (node) stopAt(node);
        });
    }

    // --- The entry in view, marked in the map ---

    let marked = null, asked = false;

    // The entry that stands before an entry: 64 entries each may stand in a part.
    function before(entry) {
        const at = entry.previousElementSibling || entry.parentElement.previousElementSibling;
        return at && at.className === "part" ? at.lastElementChild : at;
    }

    function mark() {
        asked = false;
        const box = main.getBoundingClientRect();
        const hit = document.elementFromPoint(box.left + box.width / 2, innerHeight * 0.3);
        let entry = hit && hit.closest(".entry");
        while (entry && !nodes.has(entry.id)) entry = before(entry);
        const node = entry && nodes.get(entry.id);
        if (!node || node === marked) return;
        if (marked) marked.link.removeAttribute("aria-current");
        marked = node;
        node.link.setAttribute("aria-current", "true");
        if (map.contains(document.activeElement)) return;
        stopAt(node);
        map.scrollTop = node.y - map.clientHeight / 2;
    }
    if (nodes.size > 0) {
        const ask = () => { if (!asked) { asked = true; requestAnimationFrame(mark); } };
        addEventListener("scroll", ask, { passive: true });
        ask();
    }

    // --- Code near the view is coloured, and a table there that scrolls becomes a tab stop ---

    // highlight.js gives a tree of texts and names. Elements are made of the tree, so its HTML is not used.
    function colour(into, tree) {
        for (const child of tree.children) {
            if (typeof child === "string") into.append(child);
            else {
                const span = make("span", "", { class: "hl-" + String(child.scope).split(".")[0] });
                colour(span, child);
                into.append(span);
            }
        }
    }

    let codeMs = 0;

    function highlight(code) {
        const begin = performance.now(), language = code.className.replace("language-", ""), text = code.textContent;
        if (codeMs > CODE_SUM_MS_MAX || text.length > CODE_MAX || code.childElementCount > 0 || !hljs.getLanguage(language)) return;
        const coloured = document.createDocumentFragment();
        colour(coloured, hljs.highlight(text, { language, ignoreIllegals: true })._emitter.root);
        if (coloured.textContent === text) code.replaceChildren(coloured);
        const ms = performance.now() - begin;
        codeMs = ms > CODE_MS_MAX ? Infinity : codeMs + ms; // such a page gets no more colours
    }

    const seen = new IntersectionObserver((changes) => {
        for (const { isIntersecting, target } of changes) {
            if (!isIntersecting) continue;
            seen.unobserve(target);
            if (target.localName === "code") highlight(target);
            else if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
        }
    }, { rootMargin: "50%" });
    const seek = typeof hljs === "object" ? ".words table, .words code[class]" : ".words table";
    const watch = (place) => { for (const element of place.querySelectorAll(seek)) seen.observe(element); };
    main.addEventListener("contentvisibilityautostatechange", (event) => { if (!event.skipped) watch(event.target); });
    requestAnimationFrame(() => { // what came near the view before the script ran
        for (const place of main.querySelectorAll(".branch > *")) if (place.checkVisibility({ contentVisibilityAuto: true })) watch(place);
    });

    if (location.hash) follow();
})();
