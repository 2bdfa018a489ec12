// Draws graphs of more nodes than SVG has room for, with cytoscape, which is loaded when
// there is one: a neighbourhood, or what a query answers. The page lists the same.
"use strict";
(() => {
	// root is where the graph's addresses begin: the script stands at admin/static below it.
	const root = new URL("../..", document.currentScript.src).pathname;

	let library = null; // the promise of cytoscape
	function loadLibrary(address) {
		return library ??= new Promise((done, fail) => {
			const script = document.createElement("script");
			[script.src, script.onload, script.onerror] = [address, done, fail];
			document.head.append(script);
		});
	}

	// color resolves a colour of the style sheet in the current theme.
	function color(name, className) {
		const probe = document.createElement("span");
		if (className) probe.className = className;
		probe.hidden = true;
		document.body.append(probe);
		probe.style.color = "var(" + name + ")";
		const value = getComputedStyle(probe).color;
		probe.remove();
		return value;
	}

	function style() {
		const text = color("--text"), line = color("--line-strong"), accent = color("--accent");
		const sheet = [
			{ selector: "node", style: {
				width: 12, height: 12, label: "data(label)", color: text, "font-size": 11,
				"font-family": getComputedStyle(document.body).fontFamily, "text-valign": "bottom", "text-margin-y": 4,
				"text-wrap": "ellipsis", "text-max-width": 130, "min-zoomed-font-size": 7, "border-width": 0,
			} },
			{ selector: "edge", style: { width: 1, "line-color": line, "line-opacity": 0.4, "curve-style": "haystack" } },
			{ selector: ".root", style: { width: 26, height: 26, "font-weight": 600, "font-size": 13, "border-width": 3, "border-color": accent } },
			{ selector: ".near", style: { "line-color": accent, "line-opacity": 1, width: 2 } },
			{ selector: "node:selected, node.over", style: { "border-width": 3, "border-color": accent } },
		];
		for (let i = 0; i <= 12; i++) {
			sheet.push({ selector: "node[hue=" + i + "]", style: { "background-color": color("--hue", "hue-" + i) } });
		}
		return sheet;
	}

	function elements(graph) {
		const known = new Set(graph.nodes.map(n => n.id));
		const nodes = graph.nodes.map(n => ({ group: "nodes", data: n, classes: n.id === graph.root ? "root" : "" }));
		const edges = (graph.edges || []).filter(e => known.has(e.from) && known.has(e.to))
			.map((e, i) => ({ group: "edges", data: { id: "edge" + i, source: e.from, target: e.to, property: e.property } }));
		return [...nodes, ...edges];
	}

	// rings places nodes around the middle by distance, each near the node that leads
	// to it; a full ring goes on in the next.
	function rings(graph) {
		const gap = 62, room = 34, at = {}, angles = {};
		const depths = new Map(graph.nodes.map(n => [n.id, n.depth])), leads = {};
		for (const e of graph.edges || []) {
			if (depths.get(e.to) === depths.get(e.from) + 1) leads[e.to] ??= e.from;
			if (depths.get(e.from) === depths.get(e.to) + 1) leads[e.from] ??= e.to;
		}
		const order = (a, b) => (angles[leads[a.id]] || 0) - (angles[leads[b.id]] || 0) || a.type.localeCompare(b.type) || a.label.localeCompare(b.label);
		const deepest = Math.max(...depths.values());
		let radius = 0;
		for (let depth = 0; depth <= deepest; depth++) {
			const nodes = graph.nodes.filter(n => n.depth === depth).sort(order);
			if (depth > 0 && nodes.length <= 20) radius = Math.max(radius, nodes.length * room / (2 * Math.PI));
			for (let from = 0; from < nodes.length;) {
				const fits = radius === 0 ? 1 : Math.max(6, Math.round(2 * Math.PI * radius / room));
				const ring = nodes.slice(from, from + fits);
				ring.forEach((n, i) => {
					const angle = angles[n.id] = 2 * Math.PI * (i + 0.5 * (depth % 2)) / ring.length;
					at[n.id] = { x: radius * Math.sin(angle), y: -radius * Math.cos(angle) };
				});
				from += ring.length;
				radius += gap;
			}
			radius += gap / 2;
		}
		return at;
	}

	// parts are the pieces of a graph that do not hang together, in their order.
	function parts(graph) {
		const out = [];
		for (const n of graph.nodes) (out[n.part || 0] ??= { nodes: [], edges: [] }).nodes.push(n);
		const part = new Map(graph.nodes.map(n => [n.id, n.part || 0]));
		for (const e of graph.edges || []) if (part.has(e.from)) out[part.get(e.from)].edges.push(e);
		return out;
	}

	// shelves puts the parts beside each other in rows, which together have about the
	// shape of the picture.
	function shelves(graph, shape) {
		const pad = 30, boxes = parts(graph).map(part => {
			const at = rings(part), xs = Object.values(at).map(p => p.x), ys = Object.values(at).map(p => p.y);
			const [left, top] = [Math.min(...xs), Math.min(...ys)];
			return { at, left, top, width: Math.max(...xs) - left + pad, height: Math.max(...ys) - top + pad };
		});
		const area = boxes.reduce((sum, b) => sum + b.width * b.height, 0);
		const widest = Math.max(...boxes.map(b => b.width), Math.sqrt(area * shape)), all = {};
		let [x, y, height] = [0, 0, 0];
		for (const b of boxes) {
			if (x > 0 && x + b.width > widest) [x, y, height] = [0, y + height, 0];
			for (const id in b.at) all[id] = { x: b.at[id].x - b.left + x, y: b.at[id].y - b.top + y };
			x += b.width;
			height = Math.max(height, b.height);
		}
		return all;
	}

	// picture is one graph in one box of the page.
	function picture(box) {
		let cy = null, shown = "";

		function place(graph) {
			cy.layout({ name: "preset", positions: shelves(graph, box.clientWidth / box.clientHeight) }).run();
			cy.fit(undefined, 30);
			if (cy.zoom() > 1.3) { cy.zoom(1.3); cy.center(); }
		}

		function draw(graph) {
			if (cy) cy.destroy();
			box.replaceChildren();
			cy = cytoscape({
				container: box, elements: elements(graph), style: style(), layout: { name: "null" },
				minZoom: 0.03, maxZoom: 3, textureOnViewport: true, hideEdgesOnViewport: true, pixelRatio: 1,
				autoungrabify: true, boxSelectionEnabled: false,
			});
			place(graph);
			cy.on("tap", "node", e => { const href = e.target.data("href"); if (href) location.href = root + href.slice(1); });
			cy.on("mouseover", "node", e => { e.target.addClass("over").connectedEdges().addClass("near"); box.style.cursor = e.target.data("href") ? "pointer" : ""; });
			cy.on("mouseout", "node", e => { e.target.removeClass("over").connectedEdges().removeClass("near"); box.style.cursor = ""; });
			box.dataset.drawn = graph.nodes.length;
		}

		// controls are buttons beside the picture, for hands without a wheel.
		function controls() {
			const bar = document.createElement("div");
			bar.className = "zoom";
			const middle = () => ({ x: box.clientWidth / 2, y: box.clientHeight / 2 });
			const zoom = by => cy && cy.zoom({ level: cy.zoom() * by, renderedPosition: middle() });
			for (const [sign, name, act] of [["+", "Zoom in", () => zoom(1.4)], ["−", "Zoom out", () => zoom(1 / 1.4)], ["⤢", "Show all", () => cy && cy.fit(undefined, 30)], ["↓", "Take the picture as PNG", take]]) {
				const button = document.createElement("button");
				button.type = "button";
				button.textContent = sign;
				button.title = name;
				button.setAttribute("aria-label", name);
				button.addEventListener("click", act);
				bar.append(button);
			}
			bar.dataset.keep = "";
			box.after(bar);
			// A wheel scrolls the page, as everywhere, and zooms with Ctrl.
			box.parentElement.addEventListener("wheel", e => { if (!e.ctrlKey && !e.metaKey) e.stopPropagation(); }, { capture: true, passive: true });
		}

		// take keeps the picture as a file.
		function take() {
			if (!cy) return;
			const link = document.createElement("a");
			link.href = URL.createObjectURL(cy.png({ output: "blob", full: true, maxWidth: 4000, maxHeight: 4000, bg: color("--panel") }));
			link.download = "picture.png";
			link.click();
			setTimeout(() => URL.revokeObjectURL(link.href), 60000);
		}

		// source is the graph as JSON: from its address, or from beside the picture.
		async function source() {
			if (!box.dataset.graph) return box.parentElement.querySelector(".picture-data").textContent;
			const answer = await fetch(box.dataset.graph, { headers: { Accept: "application/json" } });
			if (!answer.ok) throw new Error(answer.status);
			return answer.text();
		}

		// say writes where the picture will be, which may be gone with its page.
		function say(text) {
			const wait = box.querySelector(".wait");
			if (!cy && wait) wait.textContent = text;
		}

		async function load() {
			try {
				say("Drawing…");
				const text = await source();
				if (text === shown || !box.isConnected) return;
				shown = text;
				await loadLibrary(box.dataset.library);
				draw(JSON.parse(text));
			} catch (e) {
				say("The picture could not be loaded.");
			}
		}

		controls();
		load();
		return { load, restyle: () => { if (cy) cy.style(style()); } };
	}

	const pictures = new WeakMap();
	const each = act => { for (const box of document.querySelectorAll("[data-graph], [data-picture]")) act(box, pictures.get(box)); };
	// look draws what came onto the page; what comes back may have missed a theme.
	const look = () => each((box, known) => known ? known.restyle() : pictures.set(box, picture(box)));
	const restyle = () => each((box, known) => known && known.restyle());
	document.addEventListener("trails:refreshed", () => each((box, known) => known && known.load()));
	document.addEventListener("trails:added", look);
	document.addEventListener("trails:theme", restyle);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
	look();
})();
