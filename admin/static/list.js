// What the table of a list does besides being read. All of it has a link or a form that does the same.
"use strict";
(() => {
	// A click with Shift on a column's head sorts by it after the columns that sort already.
	document.addEventListener("click", e => {
		const head = e.shiftKey && e.target.closest && e.target.closest(".list-table th a[data-too]");
		const too = head && document.getElementById(head.dataset.too);
		if (!too) return;
		e.preventDefault();
		e.stopPropagation();
		too.click();
	}, true);
})();
