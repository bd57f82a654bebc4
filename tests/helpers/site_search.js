// What the search of the site finds: node site_search.js WORKER INDEX, with queries as lines of the
// input. WORKER is the theme's own program, which browsers run. Prints a list of locations for each.
"use strict";

const fs = require("fs");
const vm = require("vm");

const [worker, index] = process.argv.slice(2).map((path) => fs.readFileSync(path, "utf8"));
const queries = fs.readFileSync(0, "utf8").split("\n").filter(Boolean);
const answers = [];
let listen;

// What a worker has in a browser.
const scope = {
  console,
  document: { querySelector: () => undefined },
  addEventListener: (kind, listener) => { listen = listener; },
  postMessage: (message) => answers.shift()(message.data),
};
scope.self = scope;
vm.runInNewContext(worker, scope);

const ask = (type, data) =>
  new Promise((answer) => { answers.push(answer); listen({ data: { type, data } }); });

(async () => {
  await ask(0, { ...JSON.parse(index), options: { suggest: false } });
  for (const query of queries) {
    const { items } = await ask(2, query);
    console.log(JSON.stringify(items.map(([first]) => first.location)));
  }
})();
