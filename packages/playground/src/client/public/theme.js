// Runs before the first paint, as a file of its own: the page allows no inline script.
(() => {
  try {
    const chosen = localStorage.getItem('glassloop.theme');
    if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
  } catch {
    // No storage, no choice.
  }
})();
