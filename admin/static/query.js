// The page of queries with scripts: YASGUI is the editor, one tab for each query, kept
// in this browser. Answers come as parts of the page from the same address that the
// form without scripts posts to, so both show the same.
"use strict";
(() => {
	// root is where the graph's addresses begin: the script stands at admin/static below it.
	const root = new URL("../..", document.currentScript.src).pathname;
	const form = document.getElementById("query-form"), answers = document.getElementById("answer"), place = document.getElementById("yasgui");
	if (!form || !window.Yasgui) return;
	const announce = text => { document.getElementById("announce").textContent = text; };
	const text = document.getElementById("query"), [run, stop, add] = ["run", "stop", "new-tab"].map(id => document.getElementById(id));
	const asked = new URLSearchParams(location.search), shown = new Map(); // answers by tab

	// Words: what the editor completes comes from this graph's schema and nowhere else.

	const words = fetch(place.dataset.words, { headers: { Accept: "application/json" } }).then(r => r.ok ? r.json() : Promise.reject(r.status))
		.catch(() => ({ prefixes: {}, types: [], properties: [] }));
	const starting = (list, token) => list.filter(iri => iri.startsWith(token.autocompletionString || ""));
	const known = Yasgui.Yasqe.Autocompleters;

	// whole writes a prefixed name as an IRI, and wanted writes it back.
	function whole(yasqe, token) {
		const prefixes = yasqe.getPrefixesFromQuery(), typed = token.string.trim(), colon = typed.indexOf(":");
		token.autocompletionString = typed.replace(/^<|>$/g, "");
		if (!typed.startsWith("<") && colon >= 0 && prefixes[typed.slice(0, colon)] !== undefined) {
			token.tokenPrefix = typed.slice(0, colon + 1);
			token.tokenPrefixUri = prefixes[typed.slice(0, colon)];
			token.autocompletionString = token.tokenPrefixUri + typed.slice(colon + 1);
		}
		return token;
	}

	function wanted(yasqe, token, iri) {
		const prefixes = Object.entries(yasqe.getPrefixesFromQuery()).sort((a, b) => b[1].length - a[1].length);
		const found = prefixes.find(([, uri]) => uri && iri.startsWith(uri) && /^[\p{L}\p{N}_][\p{L}\p{N}_-]*$/u.test(iri.slice(uri.length)));
		return found ? found[0] + ":" + iri.slice(found[1].length) : "<" + iri + ">";
	}

	function completer(name, list) {
		const usual = known[name];
		if (!usual) return;
		Yasgui.Yasqe.registerAutocompleter({
			...usual, name, bulk: false, persistenceId: null, autoShow: false,
			get: async (yasqe, token) => token ? starting(list(await words), token) : [],
			preProcessToken: whole, postProcessSuggestion: wanted,
		}, true);
	}

	completer("class", w => w.types);
	completer("property", w => w.properties);
	if (known.prefixes) {
		Yasgui.Yasqe.registerAutocompleter({
			...known.prefixes, bulk: false, persistenceId: null,
			get: async (yasqe, token) => Object.entries((await words).prefixes).map(([name, iri]) => name + ": <" + iri + ">")
				.filter(line => !token || line.startsWith(token.autocompletionString || token.string.trim())),
		}, true);
	}

	// The schema's prefixes need no declaration: the editor's grammar knows them from the start.
	// A text that is there is read again once they have come.
	const usualMode = Yasgui.Yasqe.modes.sparql11, declared = {};
	Yasgui.Yasqe.defineMode("sparql11", (...options) => {
		const mode = usualMode(...options), start = mode.startState;
		return { ...mode, startState: () => { const state = start(); state.prefixes = { ...declared }; return state; } };
	});
	words.then(({ prefixes }) => {
		Object.assign(declared, prefixes);
		for (const tab of Object.values(yasgui ? yasgui._tabs : {})) {
			const one = tab.getYasqe && tab.getYasqe();
			if (one) one.setOption("mode", one.getOption("mode"));
		}
	});

	// Asking.

	let running = null, mark = null;

	Yasgui.Yasqe.prototype.query = function () { form.requestSubmit(run); return Promise.resolve(); };

	let yasgui = null;
	const current = () => yasgui.getTab();
	const editor = () => current().getYasqe();

	function busy(on) {
		stop.hidden = !on;
		answers.setAttribute("aria-busy", on);
		answers.classList.toggle("busy", on);
	}

	// ask posts a form and shows the part that comes back under the tab that asked.
	async function ask(body) {
		const tab = current().getId();
		body.set("part", "answer");
		if (running) running.abort();
		const own = running = new AbortController();
		busy(true);
		announce("The query runs.");
		try {
			const answer = await fetch(form.action, { method: "POST", body, signal: own.signal, credentials: "same-origin", headers: { Accept: "text/html" } });
			const part = parts(await answer.text());
			if (part.some(it => it.matches(".sign-in"))) { location.reload(); return; } // and back to here, where the browser has kept the texts
			if (tab === current().getId()) written(part.map(n => n.dataset.text).find(t => t !== undefined));
			put(tab, part);
		} catch (e) {
			if (own.signal.aborted) announce("The query was stopped.");
			else put(tab, [failed()]);
		}
		if (running === own) { running = null; busy(false); }
	}

	// parts are the elements of an answer. Those that are for a place of the page go there; what
	// is open there, a menu that somebody is about to choose from, stays open.
	function parts(text) {
		const page = new DOMParser().parseFromString(text, "text/html"), all = [...(page.querySelector("main") || page.body).children];
		for (const one of all.filter(n => n.dataset.for)) {
			const place = document.getElementById(one.dataset.for), opened = [...place.querySelectorAll("details.menu")].map(d => d.open);
			place.replaceChildren(...[...one.childNodes].map(n => document.importNode(n, true)));
			place.querySelectorAll("details.menu").forEach((d, i) => { d.open ||= opened[i] ?? false; });
			window.htmx?.process(place);
		}
		document.dispatchEvent(new CustomEvent("trails:added"));
		return all.filter(n => !n.dataset.for).map(n => document.importNode(n, true));
	}

	// written puts a text to which the server added first lines into the editor and the form.
	function written(query) {
		if (query === undefined) return;
		text.value = query;
		if (query !== editor().getValue()) editor().setValue(query);
	}

	// What the first lines of a text declare has inputs under the editor. They are asked for
	// when those lines change.

	const inputs = document.getElementById("stored-part"), head = query => (query.match(/^\s*#\+.*$/gm) || []).join("\n");
	let stated = head(text.value), waiting = 0;

	function declare() {
		clearTimeout(waiting);
		waiting = setTimeout(async () => {
			const query = editor().getValue();
			if (head(query) === stated) return;
			stated = head(query);
			const body = new URLSearchParams(new FormData(form));
			body.set("query", query);
			body.set("part", "stored");
			const answer = await fetch(form.action, { method: "POST", body, credentials: "same-origin", headers: { Accept: "text/html" } }).catch(() => null);
			const part = answer?.ok && await answer.text().catch(() => "");
			if (part && !inputs.contains(document.activeElement)) parts(part); // else it would take what somebody types there
		}, 400);
	}

	function failed() {
		const note = document.createElement("p");
		note.className = "notice notice-bad";
		note.textContent = "The server did not answer. What you wrote is still here.";
		return note;
	}

	function put(tab, nodes) {
		shown.set(tab, nodes);
		if (tab !== current().getId()) return;
		show();
		const heading = answers.querySelector("h2");
		announce(heading ? heading.textContent : "No answer.");
		address();
	}

	// address makes what is shown the page's own, to be kept and sent.
	function address() {
		const part = answers.querySelector(".answer");
		history.replaceState(history.state, "", part && part.dataset.link || form.action);
	}

	// show puts the answer of the current tab on the page.
	function show() {
		answers.replaceChildren(...(shown.get(current().getId()) || []));
		for (const button of answers.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
		for (const one of answers.querySelectorAll("button[aria-current]")) form.elements.output.value = one.value;
		document.dispatchEvent(new CustomEvent("trails:added"));
		point();
	}

	// point marks where the text breaks the grammar.
	function point() {
		if (mark) mark.clear();
		mark = null;
		const wrong = answers.querySelector("[data-line]"), line = wrong ? Number(wrong.dataset.line) - 1 : -1;
		if (line < 0) return;
		const chars = [...(editor().getDoc().getLine(line) || "")], at = Math.min(Number(wrong.dataset.column) - 1, Math.max(0, chars.length - 1));
		const ch = chars.slice(0, at).join("").length;
		mark = editor().getDoc().markText({ line, ch }, { line, ch: ch + (chars[at] || " ").length }, { className: "wrong-here" });
		editor().scrollIntoView({ line, ch }, 40);
	}

	document.addEventListener("submit", e => {
		const ours = yasgui && e.target === form || yasgui && answers.contains(e.target) && e.target.matches(".views, .view");
		if (!ours) return;
		e.preventDefault();
		if (e.target === form) text.value = editor().getValue();
		ask(new URLSearchParams(new FormData(e.target, e.submitter)));
	});
	stop.addEventListener("click", () => running && running.abort());
	form.elements.output.addEventListener("change", () => { if (answers.querySelector("section.answer")) form.requestSubmit(run); });

	// Examples open in a tab of their own, unless the current one is untouched.
	const menu = document.getElementById("examples");
	if (menu) menu.addEventListener("click", e => {
		const link = e.target.closest("[data-example]");
		if (!link || e.ctrlKey || e.metaKey || e.shiftKey) return;
		e.preventDefault();
		menu.open = false;
		open(link.dataset.example, link.textContent);
		form.elements.output.value = /^\s*(PREFIX[^\n]*\s*)*CONSTRUCT/i.test(link.dataset.example) ? "picture" : "table";
		form.requestSubmit(run);
	});

	// The editor.

	const usual = text.value;
	const config = {
		persistenceId: "trails_" + place.dataset.store + root.slice(1), populateFromUrl: false, autofocus: false, copyEndpointOnNewTab: false,
		requestConfig: { endpoint: location.origin + root + "sparql", method: "POST" },
		endpointCatalogueOptions: { getData: () => [], keys: [] },
		yasqe: {
			value: usual, editorHeight: "280px", resizeable: true, showQueryButton: false, prefixCcApi: null,
			autocompleters: ["variables", "prefixes", "class", "property"].filter(name => known[name]),
			// The keys that move through the page are the reader's, not the editor's.
			extraKeys: { Tab: false, "Shift-Tab": false },
		},
		yasr: { maxPersistentResponseSize: 0, plugins: {}, pluginOrder: [], persistenceId: null },
	};
	try {
		yasgui = new Yasgui(place, config);
	} catch (e) { // what this browser kept makes no sense: the form works without it
		place.replaceChildren();
		return;
	}

	// open shows a text in the tab that has it, or in a new one.
	function open(query, name) {
		const tabs = Object.values(yasgui._tabs), has = tabs.find(t => t.getPersistedJson().yasqe.value.trim() === query.trim());
		if (has) return void yasgui.selectTabId(has.getId());
		yasgui.addTab(true, { ...Yasgui.Tab.getDefaults(yasgui), name: yasgui.createTabName(name), yasqe: { value: query } });
	}

	function settle() {
		const field = editor().getInputField();
		field.setAttribute("aria-label", "SPARQL");
		field.setAttribute("aria-describedby", "keys");
		for (const close of place.querySelectorAll(".closeTab")) close.removeAttribute("tabindex");
		show();
	}

	form.classList.add("edited");
	add.hidden = document.getElementById("keys").hidden = false;
	add.addEventListener("click", () => { yasgui.addTab(true); editor().focus(); });
	const first = [...answers.childNodes];
	if (asked.has("query") || asked.has("type") || asked.has("stored") || first.some(n => n.nodeType === 1)) open(usual);
	if (first.some(n => n.nodeType === 1)) shown.set(current().getId(), first.filter(n => n.nodeType === 1));
	yasgui.on("tabSelect", () => setTimeout(() => { settle(); address(); }));
	yasgui.on("tabAdd", () => setTimeout(settle));
	yasgui.on("autocompletionShown", () => { for (const list of document.querySelectorAll(".CodeMirror-hints")) list.setAttribute("aria-label", "Completions"); });
	yasgui.on("tabClose", (_, tab) => shown.delete(tab.getId()));
	matchMedia("(max-width: 820px)").addEventListener("change", () => editor().refresh());
	const watched = new WeakSet();
	function watch() {
		const one = editor();
		if (!watched.has(one)) one.on("change", declare);
		watched.add(one);
		declare();
	}
	settle();
	watch();
	yasgui.on("tabSelect", () => setTimeout(watch));
	yasgui.on("tabAdd", () => setTimeout(watch));
	document.documentElement.dataset.ready = "query";
})();
