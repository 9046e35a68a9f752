#!/usr/bin/python3
"""Draws what plot.h tells: X.plot.json becomes X.svg beside it (or .png with --png).

Exit code 77: matplotlib is not there.

    tools/report/draw_plots.py [--png] 'build/evaluate/joint_filter-*.plot.json' ...
"""
import glob
import json
import sys

try:
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
except ImportError:
    print("plots are not drawn: package python3-matplotlib is missing", file=sys.stderr)
    sys.exit(77)

WIDTH, PANEL_HEIGHT, FOOTER, TITLE, LEGEND_ROW = 9.0, 2.4, 0.4, 0.36, 0.2  # inches
COLUMNS = 4  # of the legend
COLOURS = ["#1769aa", "#d9730d", "#2e8b57", "#b03060", "#6a4fb3", "#00838f", "#8d6e00", "#616161"]
pyplot.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "propriod", "font.family": "sans-serif", "font.size": 9,
    "axes.grid": True, "grid.color": "#dddddd", "axes.spines.top": False, "axes.spines.right": False,
    "axes.axisbelow": True, "lines.linewidth": 1.3, "path.simplify": True, "legend.frameon": False,
})


def numbers(values):
    return [float("nan") if value is None else value for value in values]


class Style:
    """One colour a name, over all panels of a plot."""

    def __init__(self):
        self.colour = {}

    def of(self, name):
        if name == "truth":
            return "#202020"
        return self.colour.setdefault(name, COLOURS[len(self.colour) % len(COLOURS)])


def draw_bars(axes, items, style):
    categories = items[0]["category"]
    width = 0.8 / len(items)
    for k, item in enumerate(items):
        place = [i + (k - (len(items) - 1) / 2) * width for i in range(len(categories))]
        bars = axes.bar(place, numbers(item["y"]), 0.94 * width, color=style.of(item["name"]),
                        label=item["name"])
        axes.bar_label(bars, fmt="%.3g", fontsize=7, padding=2)
    axes.set_xticks(range(len(categories)), categories)
    axes.grid(axis="x", visible=False)
    axes.margins(y=0.15)


def draw_item(axes, item, style):
    kind, name = item["kind"], item["name"]
    if kind == "line":
        # the truth is drawn over what agrees with it, dashed, so that both are seen
        truth = name == "truth"
        axes.plot(numbers(item["x"]), numbers(item["y"]), color=style.of(name), label=name,
                  linestyle="--" if truth else "-", zorder=4 if truth else 3)
    elif kind == "points":
        axes.plot(numbers(item["x"]), numbers(item["y"]), "o", markersize=3.5, color=style.of(name),
                  label=name, zorder=3)
    elif kind == "band":
        axes.fill_between(numbers(item["x"]), numbers(item["y"]), numbers(item["high"]),
                          color=style.of(name), alpha=0.18, linewidth=0, label=name)
    elif kind == "level":
        axes.axhline(item["at"][0], color="#808080", linestyle=(0, (5, 3)), linewidth=0.9)
        axes.annotate(name, (1.0, item["at"][0]), xycoords=("axes fraction", "data"), fontsize=8,
                      xytext=(-2, 2), textcoords="offset points", ha="right", color="#606060")
    elif kind == "mark":
        axes.axvline(item["at"][0], color="#808080", linestyle=(0, (5, 3)), linewidth=0.9)
        axes.annotate(name, (item["at"][0], 1.0), xycoords=("data", "axes fraction"), fontsize=8,
                      xytext=(3, -9), textcoords="offset points", color="#606060")
    elif kind == "range":
        axes.set_ylim(*item["at"])
    elif kind == "log":
        # bars, which begin at zero, are cut at the axis; lines leave a gap
        axes.set_yscale("log", nonpositive="clip" if axes.patches else "mask")


def draw(plot, path):
    panels, style = plot["panels"], Style()
    names = {item["name"] for panel in panels for item in panel["items"]
             if item["kind"] in ("line", "points", "band", "bars")}
    header = TITLE + LEGEND_ROW * -(-len(names) // COLUMNS)
    height = header + PANEL_HEIGHT * len(panels) + FOOTER
    with_bars = any(item["kind"] == "bars" for panel in panels for item in panel["items"])
    figure, rows = pyplot.subplots(len(panels), 1, sharex=not with_bars, squeeze=False,
                                   figsize=(WIDTH, height), layout="constrained")
    legend = {}
    for panel, (axes,) in zip(panels, rows):
        bars = [item for item in panel["items"] if item["kind"] == "bars"]
        if bars:
            draw_bars(axes, bars, style)
        for item in panel["items"]:
            draw_item(axes, item, style)
        axes.set_ylabel(panel["y_label"])
        for handle, name in zip(*axes.get_legend_handles_labels()):
            if name not in legend or hasattr(handle, "get_linestyle") and hasattr(handle, "get_xdata"):
                legend[name] = handle  # a line stands for its band too
    if not with_bars:
        rows[-1][0].margins(x=0.01)
    rows[-1][0].set_xlabel(plot["x_label"])
    # title and legend stand above the panels
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - header / height))
    figure.text(0.01, 1 - 0.1 / height, plot["title"], fontsize=11, va="top", fontweight="bold")
    figure.legend(legend.values(), legend.keys(), loc="upper left", ncols=COLUMNS, fontsize=8,
                  bbox_to_anchor=(0.01, 1 - (TITLE - 0.06) / height), borderaxespad=0)
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None, dpi=110)
    pyplot.close(figure)


def main(arguments):
    suffix = ".png" if "--png" in arguments else ".svg"
    for pattern in [a for a in arguments if a != "--png"]:
        for path in sorted(glob.glob(pattern)):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if text:  # a plot with nothing to show is an empty file
                draw(json.loads(text), path.removesuffix(".plot.json") + suffix)


if __name__ == "__main__":
    main(sys.argv[1:])
