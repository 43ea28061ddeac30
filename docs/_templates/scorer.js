// Order of the site's search: pages whose titles have the words of the query come first,
// then the guide, and papers and generated pages last.
var Scorer = {
  score: ([page, title, , , score]) => {
    const words = (text) => text.toLowerCase().match(/[a-z0-9]{3,}/g) ?? [];
    const query = new URLSearchParams(window.location.search).get("q") ?? "";
    const same = (a, b) => {
      const n = Math.max(3, Math.min(a.length, b.length, 5));
      return a.slice(0, n) === b.slice(0, n);
    };
    const inTitle = words(title);
    const found = words(query).filter((word) => inTitle.some((other) => same(word, other)));
    const place = /^(user_guide|getting_started|faq|references)/.test(page)
      ? 10
      : /^(papers|api\/generated|releasing|contributing)/.test(page)
        ? -20
        : 0;
    return score + 20 * found.length + place;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
