// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the data of the page by its kind.

const pages = {
  report: reportPage,
  power: powerPage,
  halos: halosPage,
  profile: profilePage,
  ensemble: (data) => ensemblePage(data),  // pages of other kinds lack these scripts
  sky: (data) => skyPage(data),
  trees: (data) => treesPage(data),
};

const source = document.getElementById("data");
try {
  document.body.append(...pages[source.dataset.kind](JSON.parse(source.textContent)));
  drawCharts();
} catch (error) {
  document.body.append(el("p", {class: "failed"}, `This page could not be drawn: ${error.message}`));
  throw error;
}
