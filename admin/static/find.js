// The box in the header: what the words that are typed lead to, and, before anything is
// typed, the nodes that this browser has starred or seen last. "/" and Ctrl-K lead to it.
// Without this script the box sends its words to the page of the search.
"use strict";
(() => {
	const form = document.getElementById("find");
	if (!form) return;
	const box = form.querySelector("input"), list = document.getElementById("find-hits");
	const most = 8;

	// What the browser remembers of a graph: lists of [address, label, type], the newest first.

	const key = kind => `trails:${kind}:${form.dataset.base}`;
	function known(kind) {
		try {
			return JSON.parse(localStorage.getItem(key(kind))) || [];
		} catch {
			return []; // it is not allowed to remember, or somebody else wrote there
		}
	}
	function remember(kind, entries) {
		try { localStorage.setItem(key(kind), JSON.stringify(entries)); } catch { /* it is not allowed to remember */ }
	}
	const without = (entries, address) => entries.filter(([other]) => other !== address);

	const star = document.querySelector("[data-star]");
	if (star) {
		const entry = [location.pathname, star.dataset.star, star.dataset.type];
		const show = () => {
			const on = known("starred").some(([address]) => address === entry[0]);
			star.setAttribute("aria-pressed", on);
			star.firstChild.nodeValue = on ? "★" : "☆";
		};
		star.hidden = false;
		show();
		star.addEventListener("click", () => {
			const others = without(known("starred"), entry[0]);
			remember("starred", star.getAttribute("aria-pressed") === "true" ? others : [entry, ...others].slice(0, 50));
			show();
		});
		remember("recent", [entry, ...without(known("recent"), entry[0])].slice(0, most));
	}

	function group(title, entries) {
		const ul = document.createElement("ul");
		ul.setAttribute("aria-label", title);
		for (const [address, label, type] of entries) {
			const a = document.createElement("a"), name = document.createElement("bdi"), kind = document.createElement("span");
			a.href = address;
			name.textContent = label;
			kind.className = "faint";
			kind.textContent = `${type} · ${title.toLowerCase()}`;
			a.append(name, " ", kind);
			ul.append(document.createElement("li"));
			ul.lastChild.append(a);
		}
		return ul;
	}

	function open() {
		if (box.value.trim() === "") {
			const starred = known("starred").slice(0, most), others = known("recent").filter(([a]) => !starred.some(([b]) => a === b));
			list.replaceChildren(...[["Starred", starred], ["Seen lately", others]].filter(([, l]) => l.length).map(([t, l]) => group(t, l)));
		}
		list.hidden = !list.childElementCount;
	}
	const close = () => { list.hidden = true; };

	box.addEventListener("focus", open);
	box.addEventListener("input", () => { if (box.value.trim() === "") open(); });
	list.addEventListener("htmx:afterSwap", () => { if (form.contains(document.activeElement)) open(); });
	form.addEventListener("focusout", e => { if (!form.contains(e.relatedTarget)) close(); });

	// Keys: arrows walk through the links, Escape leaves.

	form.addEventListener("keydown", e => {
		const stops = [box, ...list.querySelectorAll("a")], at = stops.indexOf(document.activeElement);
		if (e.key === "Escape") {
			close();
			if (at > 0) box.focus();
			e.stopPropagation();
			close();
		} else if ((e.key === "ArrowDown" || e.key === "ArrowUp") && !list.hidden) {
			e.preventDefault();
			stops[(at + (e.key === "ArrowDown" ? 1 : stops.length - 1)) % stops.length].focus();
		}
	});

	document.addEventListener("keydown", e => {
		const typing = e.target.closest("input, textarea, select, [contenteditable], .CodeMirror");
		const help = document.getElementById("help");
		if (e.key === "?" && help && !typing && !e.ctrlKey && !e.metaKey && !e.altKey) return help.click();
		const slash = e.key === "/" && !typing && !e.ctrlKey && !e.metaKey && !e.altKey;
		if (!slash && !((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "k")) return;
		e.preventDefault();
		box.focus();
		box.select();
	});
})();
