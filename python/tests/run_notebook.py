"""Runs the code cells of a notebook one after another, without Jupyter: `python run_notebook.py plots.ipynb [FOLDER]`.

Figures are drawn by Agg; with a folder they are written there as figure-0.png and so on."""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def main():
    notebook = Path(sys.argv[1])
    names = {"__name__": "__main__"}
    figures = 0
    # Agg shows nothing: `plt.show()` only says that a figure is done.
    plt.show = lambda: None
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    for at, cell in enumerate(cells):
        if cell["outputs"] or cell["execution_count"] is not None:
            sys.exit(f"{notebook}: code cell {at} has outputs; they should be stripped")
        exec(compile("".join(cell["source"]), f"{notebook.name}, code cell {at}", "exec"), names)
        for number in plt.get_fignums():
            figure = plt.figure(number)
            figure.canvas.draw()
            if len(sys.argv) > 2:
                figure.savefig(Path(sys.argv[2]) / f"figure-{figures}.png")
            figures += 1
        plt.close("all")
    print(f"{notebook}: {len(cells)} code cells ran, {figures} figures")


main()
