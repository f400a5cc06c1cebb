// SPDX-License-Identifier: Apache-2.0
// form_benchmark [COLUMNS] [KEYS]: types digits into a field of a form, of an experiment with that
//   many feature columns (300), and prints how long the window's thread is busy with a key: median,
//   95th percentile and longest, in milliseconds, until every event that is due is done.

#include "tests/benchmarks/programs/busy_time.h"
#include "tests/benchmarks/programs/opened_experiment.h"
#include "ui/document/experiment_document.h"
#include "ui/editors/field_form.h"

#include <fmt/core.h>

#include <QAbstractSpinBox>
#include <QApplication>
#include <QTemporaryDir>

#include <cstdlib>
#include <vector>

using namespace cannery::benchmarks;
using namespace cannery::ui;

namespace {

constexpr qint64 kAfterKey = 50;

QByteArray experiment(int columns)
{
    QByteArray text = "data { train { csv { files: \"a.csv\" } } label { column: \"y\" } }\n";
    QByteArray names;
    for (int i = 0; i < columns; ++i) {
        const QByteArray name = "c" + QByteArray::number(i);
        text += "feature_column { # what column " + name + " is\n  name: \"" + name +
                "\" numeric_column { key: \"" + name + "\" normalizer { z_score { } } }\n}\n";
        names += (i == 0 ? "\"" : ", \"") + name + "\"";
    }
    return text + "estimator { dnn_classifier { hidden_units: [64, 32] feature_columns: [" + names +
           "] } }\ntrain_spec { max_steps: 1000 }\n";
}

} // namespace

int main(int argc, char** argv)
{
    const QApplication application(argc, argv);
    const int columns = argc > 1 ? std::atoi(argv[1]) : 300;
    const int keys = argc > 2 ? std::atoi(argv[2]) : 200;
    const QTemporaryDir folder;
    ExperimentDocument document;
    if (!openExperiment(document, folder.filePath("a.cannery"), experiment(columns))) {
        return 1;
    }
    FieldForm form({.document = &document}, QStringLiteral("train_spec"), {});
    followDocument(&form, document);
    form.show();
    auto* field = form.findChild<QAbstractSpinBox*>("field.train_spec.max_steps");
    if (field == nullptr) {
        return 1;
    }
    field->setFocus();
    busiest(200);
    std::vector<double> times;
    for (int i = 0; i < keys; ++i) {
        if (i % 8 == 0) {
            field->selectAll();
        }
        const int digit = 1 + i % 9;
        times.push_back(busyWithKey(*field, Qt::Key_0 + digit, QString::number(digit), kAfterKey));
    }
    fmt::print("{} columns, {} keys: {}\n", columns, keys, timesInWords(times));
    return 0;
}
