// SPDX-License-Identifier: Apache-2.0
// form_benchmark [COLUMNS] [KEYS]: types digits into a field of a form, of an experiment with that
//   many feature columns (300), and prints how long the window's thread is busy with a key: median,
//   95th percentile and longest, in milliseconds, until every event that is due is done.

#include "ui/document/experiment_document.h"
#include "ui/editors/field_form.h"

#include <fmt/core.h>

#include <QAbstractSpinBox>
#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QKeyEvent>
#include <QTemporaryDir>
#include <QThread>

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace cannery::ui;

namespace {

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

/// Handles what is due for a while and returns the longest time in one go.
double busiest(qint64 milliseconds)
{
    double longest = 0;
    QElapsedTimer all;
    all.start();
    while (all.elapsed() < milliseconds) {
        QElapsedTimer clock;
        clock.start();
        QCoreApplication::processEvents();
        longest = std::max(longest, static_cast<double>(clock.nsecsElapsed()) / 1e6);
        QThread::usleep(200);
    }
    return longest;
}

double typeKey(QAbstractSpinBox* field, int digit)
{
    QElapsedTimer clock;
    clock.start();
    QKeyEvent press(QEvent::KeyPress, Qt::Key_0 + digit, {}, QString::number(digit));
    QKeyEvent release(QEvent::KeyRelease, Qt::Key_0 + digit, {}, QString::number(digit));
    QCoreApplication::sendEvent(field, &press);
    QCoreApplication::sendEvent(field, &release);
    const double own = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    return std::max(own, busiest(50));
}

} // namespace

int main(int argc, char** argv)
{
    const QApplication application(argc, argv);
    const int columns = argc > 1 ? std::atoi(argv[1]) : 300;
    const int keys = argc > 2 ? std::atoi(argv[2]) : 200;
    const QTemporaryDir folder;
    QFile file(folder.filePath("a.cannery"));
    if (!file.open(QIODevice::WriteOnly) || file.write(experiment(columns)) < 0) {
        return 1;
    }
    file.close();
    ExperimentDocument document;
    document.open(file.fileName());
    while (document.isLoading()) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
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
        times.push_back(typeKey(field, 1 + i % 9));
    }
    std::sort(times.begin(), times.end());
    fmt::print(
        "{} columns, {} keys: median {:.1f} ms, 95th percentile {:.1f} ms, longest {:.1f} ms\n",
        columns, keys, times[times.size() / 2], times[times.size() * 95 / 100], times.back());
    return 0;
}
