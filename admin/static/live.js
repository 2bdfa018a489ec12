// What pages do besides being read: stay current while others write, copy a
// snippet, change the theme without losing a form. Every page works without it.
"use strict";
(() => {
	// root is where the graph's addresses begin: the script stands at admin/static below it.
	const root = new URL("../..", document.currentScript.src).pathname;
	const main = () => document.getElementById("main");
	const announce = text => { document.getElementById("announce").textContent = text; };

	// Morphing: the old tree becomes the new one with as few changes as possible, so
	// that focus, scrolling, open details and what was typed stay.

	// own is what a script added, which no answer has.
	const own = n => n.nodeType === 1 && n.hasAttribute("data-keep") && !keyOf(n);
	const keyOf = n => n.nodeType === 1 ? n.id || n.dataset.key || "" : "";
	const alike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

	function morph(from, to) {
		if (from.nodeType !== 1) {
			if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
			return;
		}
		if (from.hasAttribute("data-keep") || from.isEqualNode(to)) return;
		morphAttributes(from, to);
		if (from.nodeName !== "TEXTAREA" && from.nodeName !== "SELECT") morphChildren(from, to);
	}

	function morphAttributes(from, to) {
		for (const { name, value } of [...to.attributes]) {
			if (from.getAttribute(name) !== value) from.setAttribute(name, value);
		}
		for (const { name } of [...from.attributes]) {
			const readers = name === "open" && from.nodeName === "DETAILS" || name === "tabindex"; // which holds the focus
			if (!readers && !to.hasAttribute(name)) from.removeAttribute(name);
		}
	}

	function morphChildren(from, to) {
		const keyed = new Map();
		for (const child of from.childNodes) if (keyOf(child)) keyed.set(keyOf(child), child);
		let at = from.firstChild;
		for (const next of [...to.childNodes]) {
			while (at && own(at)) at = at.nextSibling;
			const key = keyOf(next);
			const match = key ? keyed.get(key) : at && alike(at, next) ? at : null;
			if (!match || !alike(match, next)) {
				const added = document.importNode(next, true);
				from.insertBefore(added, at);
				mark(added);
				continue;
			}
			if (match === at) at = at.nextSibling;
			else from.insertBefore(match, at);
			const before = match.textContent;
			morph(match, next);
			if (match.textContent !== before) mark(match);
		}
		while (at) {
			const gone = at;
			at = at.nextSibling;
			if (!own(gone)) gone.remove();
		}
	}

	function mark(node) {
		if (node.nodeType !== 1 || !node.dataset.key) return;
		node.classList.add("fresh");
		setTimeout(() => node.classList.remove("fresh"), 2500);
	}

	// Refreshing: one request at a time, and one more when something came meanwhile.

	const pause = 250;
	let busy = false, again = false, last = 0;

	function refresh() {
		if (busy) { again = true; return; }
		busy = true;
		setTimeout(fetchPage, Math.max(0, last + pause - Date.now()));
	}

	async function fetchPage() {
		const address = location.href;
		try {
			const answer = await fetch(address, { headers: { Accept: "text/html" }, credentials: "same-origin" });
			const page = new DOMParser().parseFromString(await answer.text(), "text/html");
			if (address === location.href && page.getElementById("main")) apply(page);
		} catch (e) {
			again = false; // the stream's reconnection will ask again
		}
		last = Date.now();
		busy = false;
		if (again) { again = false; refresh(); }
	}

	function apply(page) {
		const fresh = page.getElementById("main"), focused = document.activeElement;
		const regions = [...main().querySelectorAll("[data-live-region]")].filter(r => page.getElementById(r.id));
		const before = main().textContent;
		if (regions.length) {
			morphAttributes(main(), fresh);
			for (const region of regions) morph(region, page.getElementById(region.id));
		} else {
			morph(main(), fresh);
		}
		document.title = page.title;
		for (const part of ["footer.foot", "nav.side"]) {
			const [a, b] = [document.querySelector(part), page.querySelector(part)];
			if (a && b) morph(a, b);
		}
		if (focused && !focused.isConnected) main().focus({ preventScroll: true });
		if (main().textContent !== before) announce("The page was updated.");
		enhance(main());
		if (window.htmx) window.htmx.process(main());
		document.dispatchEvent(new CustomEvent("trails:refreshed"));
	}

	// Listening: the stream is closed while nobody looks, because a browser has few
	// connections for one server.

	const words = { on: "Live", wait: "Reconnecting", off: "Paused" };
	let source = null, wait = 500, timer = 0;

	function show(state) {
		const badge = document.getElementById("live");
		badge.hidden = false;
		badge.dataset.state = state;
		badge.querySelector(".live-text").textContent = words[state];
	}

	function listen() {
		if (source || !main() || !main().dataset.live) return;
		clearTimeout(timer);
		const branch = new URLSearchParams(location.search).get("branch");
		source = new EventSource(root + "admin/events" + (branch ? "?branch=" + encodeURIComponent(branch) : ""));
		source.addEventListener("hello", e => {
			wait = 500;
			show("on");
			const { head } = JSON.parse(e.data);
			if (head !== main().dataset.head) missed(head);
		});
		source.addEventListener("change", e => heard(JSON.parse(e.data)));
		source.onerror = () => {
			stop();
			show("wait");
			timer = setTimeout(listen, wait * (0.75 + Math.random() / 2));
			wait = Math.min(wait * 2, 30000);
		};
	}

	function stop() {
		if (source) source.close();
		source = null;
	}

	// resume goes on with a form that waits for a sign-in, when somebody comes back to it who signed in in another tab.
	async function resume() {
		const button = document.querySelector("[data-resumes]");
		const answer = button && await fetch(root + "admin/login", { credentials: "same-origin", redirect: "manual" }).catch(() => null);
		if (answer?.type === "opaqueredirect") button.click();
	}

	const split = (text, by) => (text || "").split(by).filter(Boolean);

	function concerns(change) {
		const { live, types, instances } = main().dataset;
		if (live === "any") return true;
		if (live === "schema") return change.schema;
		const named = split(instances, "\n"), kinds = split(types, " ");
		if (named.length && !change.resync) return named.some(i => (change.instances || []).includes(i));
		return change.schema || kinds.some(k => (change.types || []).includes(k));
	}

	function heard(change) {
		if (!concerns(change)) return;
		if (main().dataset.live === "notice") notice(change.head);
		else refresh();
	}

	// missed: the page shows another head than the graph has now.
	async function missed(head) {
		if (main().dataset.live !== "notice") refresh();
		else if (await changes()) notice(head);
	}

	// changes is what others changed since the form was made, as elements; null for nothing, or if it cannot be asked for.
	async function changes() {
		const form = document.querySelector("form[data-changed]");
		const answer = form && await fetch(form.dataset.changed, { credentials: "same-origin" }).catch(() => null);
		return answer?.ok ? new DOMParser().parseFromString(await answer.text(), "text/html").body.childNodes : null;
	}

	function notice(head) {
		let banner = document.getElementById("changed");
		if (!banner) {
			banner = document.createElement("div");
			banner.id = "changed";
			banner.className = "banner";
			main().prepend(banner);
		}
		const link = document.createElement("a");
		link.href = root + "admin/commits/" + encodeURIComponent(head);
		link.textContent = "See the commit";
		const text = "What this form is about was changed meanwhile. What you typed is still here.";
		banner.replaceChildren(text + " ", link);
		announce(text);
		tellChanges(banner);
	}

	// tellChanges shows in the banner what others changed since the form was made.
	async function tellChanges(banner) {
		const list = await changes();
		if (!list) return;
		const told = document.createElement("details"), summary = document.createElement("summary"), body = document.createElement("div");
		summary.textContent = "What was changed";
		body.append(...list);
		told.append(summary, body);
		told.open = true;
		banner.querySelector("details")?.remove();
		banner.append(told);
		for (const link of banner.querySelectorAll("a")) Object.assign(link, { target: "_blank", rel: "noopener" }); // the form stays
	}

	// Within [data-in-place] a link to the same page with other parameters changes that part alone.
	let shown = ""; // the address of what such a link brought
	document.addEventListener("click", e => {
		const link = e.target.closest("a"), place = link?.closest("[data-in-place]");
		if (!place || !window.htmx || link.hasAttribute("download") || e.button || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
		const to = new URL(link.getAttribute("href"), location.href);
		if (to.origin !== location.origin || to.pathname !== location.pathname || to.hash) return;
		e.preventDefault();
		const back = link.id || link.dataset.node, left = place.querySelector("[role=region]")?.scrollLeft;
		window.htmx.ajax("GET", to.pathname + to.search, { source: place, target: place, select: "#" + place.id, swap: "outerHTML show:none" }).then(() => {
			history.pushState(null, "", shown = to.href);
			const fresh = document.getElementById(place.id), scrolled = fresh.querySelector("[role=region]");
			enhance(fresh);
			if (scrolled) scrolled.scrollLeft = left;
			const again = back && fresh.querySelector('a:is([id="' + CSS.escape(back) + '"], [data-node="' + CSS.escape(back) + '"])');
			(again || main()).focus({ preventScroll: true });
		});
	});
	addEventListener("popstate", () => { if (shown && shown !== location.href) location.reload(); });

	// A picture as PNG is drawn from its file.
	document.addEventListener("click", e => {
		const button = e.target.closest("[data-png]");
		if (!button) return;
		const image = new Image();
		image.onerror = () => announce("The picture could not be loaded.");
		image.onload = () => {
			const canvas = document.createElement("canvas");
			[canvas.width, canvas.height] = [image.width * 2, image.height * 2];
			canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
			canvas.toBlob(blob => {
				if (!blob) { announce("The picture is too large for PNG; take it as SVG."); return; }
				const link = document.createElement("a");
				link.href = URL.createObjectURL(blob);
				link.download = "picture.png";
				link.click();
				setTimeout(() => URL.revokeObjectURL(link.href), 60000);
			});
		};
		image.src = button.dataset.png;
	});

	// Small things.

	function enhance(root) {
		for (const button of root.querySelectorAll("[data-png]")) button.hidden = false;
		for (const button of root.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
	}

	document.addEventListener("click", async e => {
		const button = e.target.closest("[data-copy]");
		if (!button) return;
		await navigator.clipboard.writeText(button.closest(".snippet").querySelector("pre").textContent);
		announce("Copied.");
		const was = button.firstChild.nodeValue;
		button.firstChild.nodeValue = "Copied";
		setTimeout(() => { button.firstChild.nodeValue = was; }, 1500);
	});

	// The slider of versions: its positions are the links of the list beside it.
	const version = slider => slider.closest(".versions").querySelectorAll("ol a")[slider.value];
	document.addEventListener("input", e => {
		if (!e.target.matches("[data-versions]")) return;
		const text = version(e.target).textContent;
		e.target.setAttribute("aria-valuetext", text);
		e.target.closest(".versions").querySelector("summary").textContent = text;
	});
	document.addEventListener("change", e => {
		if (e.target.matches("[data-versions]")) version(e.target).click();
	});

	document.addEventListener("submit", async e => {
		const form = e.target;
		if (form.id !== "theme" || !e.submitter) return;
		e.preventDefault();
		const theme = e.submitter.value;
		if (theme === "system") delete document.documentElement.dataset.theme;
		else document.documentElement.dataset.theme = theme;
		for (const button of form.querySelectorAll("button")) button.setAttribute("aria-pressed", button === e.submitter);
		announce(e.submitter.title + ".");
		document.dispatchEvent(new CustomEvent("trails:theme"));
		await fetch(form.action, { method: "POST", body: new URLSearchParams({ theme, return: location.pathname }), redirect: "manual" });
	});

	document.addEventListener("keydown", e => {
		if (e.key !== "Escape") return;
		for (const menu of document.querySelectorAll("details.menu[open]")) {
			menu.open = false;
			menu.querySelector("summary").focus();
		}
	});

	// A menu closes when something else is clicked, so that no two lie over each other.
	document.addEventListener("click", e => {
		for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(e.target)) menu.open = false;
	}, true);

	// An answer that refuses is shown like any other: in place when it has the part that
	// is exchanged, otherwise as the page that it is.
	document.addEventListener("htmx:beforeSwap", e => {
		const { xhr, target, boosted, pathInfo } = e.detail;
		if (!boosted || xhr.status < 400) return;
		if (new DOMParser().parseFromString(xhr.responseText, "text/html").getElementById(target.id)) {
			e.detail.shouldSwap = true;
			e.detail.isError = false;
		} else {
			e.detail.isError = false;
			location.assign(pathInfo.finalRequestPath);
		}
	});

	document.addEventListener("htmx:afterSettle", e => {
		const told = e.target.closest("[data-announce]") || document.querySelector("[data-announce]");
		if (told) announce(told.dataset.announce);
		enhance(document);
	});

	document.addEventListener("visibilitychange", () => {
		if (document.hidden) { stop(); return; }
		wait = 500;
		listen();
		resume();
	});
	addEventListener("pagehide", stop);
	addEventListener("pagehide", () => { // a browser may show the page again, as it was
		for (const it of document.querySelectorAll("[data-once]")) it.textContent = it.dataset.once;
	});
	addEventListener("pageshow", listen);
	enhance(document);
	listen();
})();
