// SPDX-License-Identifier: Apache-2.0
// network_benchmark [LAYERS] [EDITS]: draws a network of that many layers (200) in branches side by
//   side, removes layers from it by Delete and puts them back, and prints how long the window's
//   thread is busy with an edit in one go: median, 95th percentile and longest, in milliseconds,
//   until the text is parsed and drawn again.

#include "tests/benchmarks/programs/busy_time.h"
#include "tests/benchmarks/programs/opened_experiment.h"
#include "ui/document/experiment_document.h"
#include "ui/pages/model/network/network_canvas.h"

#include <fmt/core.h>

#include <QApplication>
#include <QScrollArea>
#include <QTemporaryDir>
#include <QUndoStack>

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace cannery::benchmarks;
using namespace cannery::ui;

namespace {

/// Longer than the pause after which the document is checked.
constexpr qint64 kAfterEdit = 400;
constexpr int kDepth = 5;

/// Branches of kDepth layers, one beside the other, and what joins them.
QByteArray experiment(int layers)
{
    QByteArray text = "data { train { csv { files: \"a.csv\" } } label { column: \"y\" } }\n"
                      "feature_column { name: \"x\" numeric_column { key: \"x\" } }\n"
                      "estimator { custom_estimator { head { regression_head {} }\n"
                      "feature_columns: \"x\" graph {\n layer { name: \"in\" input_layer {} }\n";
    QByteArray ends;
    const int branches = std::max(1, (layers - 3) / kDepth);
    for (int branch = 0; branch < branches; ++branch) {
        for (int layer = 0; layer < kDepth; ++layer) {
            text += " layer { name: \"d" + QByteArray::number(branch * kDepth + layer) + "\" " +
                    (layer == 0 ? "inputs: \"in\" " : "") + "dense { units: 4 } }\n";
        }
        ends += (branch == 0 ? "\"d" : ", \"d") + QByteArray::number(branch * kDepth + kDepth - 1) +
                "\"";
    }
    return text + " layer { name: \"all\" inputs: [" + ends +
           "] concatenate {} }\n layer { name: \"logits\" dense { units: 1 } }\n} } }\n"
           "train_spec { max_steps: 1000 }\n";
}

} // namespace

int main(int argc, char** argv)
{
    const QApplication application(argc, argv);
    const int layers = argc > 1 ? std::atoi(argv[1]) : 200;
    const int edits = argc > 2 ? std::atoi(argv[2]) : 60;
    const QTemporaryDir folder;
    ExperimentDocument document;
    if (!openExperiment(document, folder.filePath("a.cannery"), experiment(layers))) {
        return 1;
    }
    QScrollArea window; // as large as a window usually shows
    window.resize(1180, 720);
    auto& canvas = *new NetworkCanvas(document);
    window.setWidget(&canvas);
    QObject::connect(&document, &ExperimentDocument::changed, &canvas, &NetworkCanvas::refresh);
    window.show();
    canvas.refresh();
    busiest(kAfterEdit);
    const auto drawn = canvas.network().layers.size();
    std::vector<double> times;
    for (int i = 0; i < edits; ++i) {
        canvas.choose(static_cast<int>(1 + i * 7 % (drawn - 3)));
        times.push_back(busyWithKey(canvas, Qt::Key_Delete, {}, kAfterEdit));
        if (canvas.network().layers.size() != drawn - 1) {
            fmt::print(stderr, "an edit was lost\n");
            return 1;
        }
        document.undoStack()->undo();
        times.push_back(busiest(kAfterEdit));
    }
    fmt::print("{} layers, {} edits: {}\n", drawn, times.size(), timesInWords(times));
    return 0;
}
