// Drafts: what was typed into a form stays in this browser until it is sent, so that a reload, a lost session or a
// closed tab loses nothing. Drafts are kept a week; of fields that look like secrets nothing is kept.
"use strict";
(() => {
	const prefix = "trails:draft:", week = 7 * 24 * 3600 * 1000, most = 200_000;
	const secret = /token|secret|password|credential|authorization/i, token = /trails_[a-z0-9-]+_[A-Z2-7]{26}|\beyJ[\w-]{8,}\.eyJ|\bbearer\s/i;

	function read(key) {
		try { return JSON.parse(localStorage.getItem(prefix + key)); } catch { return null; }
	}
	function write(key, value) {
		try {
			if (value) localStorage.setItem(prefix + key, JSON.stringify(value));
			else localStorage.removeItem(prefix + key);
		} catch { /* full, or not allowed: there is no draft */ }
	}

	for (const done of document.querySelectorAll("[data-drafted]")) write(done.dataset.drafted, null);
	try {
		for (const name of Object.keys(localStorage)) {
			if (name.startsWith(prefix) && !(Date.now() - (read(name.slice(prefix.length))?.at ?? 0) < week)) localStorage.removeItem(name);
		}
	} catch { return; }

	const form = document.querySelector("form[data-draft]");
	if (!form) return;
	const key = form.dataset.draft;

	// kept are the controls whose values a draft has.
	const kept = () => [...form.elements].filter(it => it.name && !it.name.startsWith("_") && !["hidden", "file", "password", "submit", "button"].includes(it.type) && !secret.test(it.name));
	const values = () => kept().flatMap(it => ["checkbox", "radio"].includes(it.type) ? (it.checked ? [[it.name, it.value]] : []) : it.value === "" || token.test(it.value) ? [] : [[it.name, it.value]]);
	// begun is what the form began with.
	const begun = JSON.stringify(values());

	function fill(draft) {
		const by = Map.groupBy ? Map.groupBy(draft, ([name]) => name) : draft.reduce((m, pair) => m.set(pair[0], [...(m.get(pair[0]) || []), pair]), new Map());
		for (const rows of form.querySelectorAll("[data-rows]")) {
			const want = (by.get(`arg.${rows.dataset.rows}`) || []).length;
			for (let n = 0; rows.children.length < want && n < 1000; n++) rows.dispatchEvent(new CustomEvent("trails:row"));
		}
		const at = new Map();
		for (const it of kept()) {
			const list = (by.get(it.name) || []).map(pair => pair[1]);
			if (["checkbox", "radio"].includes(it.type)) {
				it.checked = list.includes(it.value);
				continue;
			}
			const i = at.get(it.name) || 0;
			at.set(it.name, i + 1);
			it.value = list[i] ?? "";
		}
		for (const folded of form.querySelectorAll("details.fold")) {
			if ([...folded.querySelectorAll("input, select, textarea")].some(it => it.value && by.has(it.name))) folded.open = true;
		}
		form.dispatchEvent(new CustomEvent("trails:filled"));
	}

	const seen = () => form.elements._seen?.value ?? "";
	const draft = read(key), posted = "posted" in form.dataset; // the page came back with what was typed
	if (draft && !posted && JSON.stringify(draft.values) !== begun) offer(draft);

	function offer(draft) {
		const at = new Date(draft.at), day = at.toDateString() === new Date().toDateString();
		const said = `Your draft of ${day ? at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : at.toLocaleString([], { dateStyle: "medium", timeStyle: "short" })} is here.`;
		const stale = draft.seen !== seen() ? " What it is about was changed since: look at what the form has before you save." : "";
		const note = document.createElement("section");
		note.className = "notice draft";
		note.setAttribute("aria-label", "Draft");
		note.append(said + stale + " It is only in this browser. ");
		const button = (text, act) => {
			const it = document.createElement("button");
			Object.assign(it, { type: "button", className: "small", textContent: text });
			it.addEventListener("click", () => { act(); note.remove(); form.querySelector("input:not([type=hidden]), textarea, select")?.focus(); });
			note.append(it, " ");
		};
		button("Restore", () => { fill(draft.values); keep(); });
		button("Discard", () => write(key, null));
		form.before(note);
		document.getElementById("announce").textContent = said;
	}

	let timer = 0;
	function keep() {
		clearTimeout(timer);
		const now = values(), text = JSON.stringify(now);
		if (text === begun && !posted) write(key, null);
		else if (text.length < most) write(key, { at: Date.now(), seen: seen(), values: now });
	}
	if (posted) keep();
	form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(keep, 300); });
	form.addEventListener("change", keep);
	form.addEventListener("submit", () => { if (timer) keep(); });
	addEventListener("pagehide", () => { if (timer) keep(); });
})();
