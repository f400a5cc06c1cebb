// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"

#include "tests/support/audit.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>

namespace cannery::tests {

namespace {

constexpr char kExperiment[] = R"(name: "fixture"
data {
  train { csv { files: "table.csv" } }
  eval { csv { files: "table.csv" } }
  label { column: "label" }
}
feature_column { name: "x" numeric_column { key: "x" } }
feature_column { name: "y" numeric_column { key: "y" normalizer { z_score {} } } }
feature_column { name: "colour" categorical_column_with_vocabulary_list { key: "colour" vocabulary_list: ["red", "green", "blue"] } }
feature_column { name: "colour_indicator" indicator_column { categorical_column: "colour" } }
feature_column { name: "colour_embedding" embedding_column { categorical_column: "colour" dimension: 2 } }
estimator {
  dnn_classifier {
    hidden_units: [8, 4]
    feature_columns: ["x", "y", "colour_indicator", "colour_embedding"]
    optimizer { adam { learning_rate: 0.01 } }
    dropout: 0.1
  }
}
train_spec { max_steps: 60 input { batch_size: 16 shuffle: true } }
eval_spec { steps: 0 throttle_secs: 0 input { batch_size: 64 } }
run_config { tf_random_seed: 11 save_checkpoints_steps: 20 save_summary_steps: 10 }
)";

QByteArray table()
{
    QByteArray text = "id,x,y,colour,label\n";
    const char* colours[] = {"red", "green", "blue"};
    for (int i = 0; i < 200; ++i) {
        const double x = (i * 37 % 101) / 50.0 - 1.0;
        const double y = (i * 53 % 97) / 10.0;
        const int colour = i * 7 % 3;
        const bool positive = x + 0.1 * y + 0.3 * colour > 0.7;
        text += QByteArray::number(i) + "," + QByteArray::number(x) + "," + QByteArray::number(y) +
                "," + colours[colour] + "," + (positive ? "1" : "0") + "\n";
    }
    return text;
}

} // namespace

QJsonObject json(const ProgramResult& result)
{
    return QJsonDocument::fromJson(result.out.toUtf8()).object();
}

ProjectFixture::ProjectFixture()
{
    write("table.csv", table());
    write("fixture.cannery", kExperiment);
}

ProjectFixture::~ProjectFixture()
{
    if (!m_isSpoilt) {
        audit(m_folder.path());
    }
}

void ProjectFixture::write(const QString& name, const QByteArray& content) const
{
    QFile file(path(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) {
        qFatal("cannot write %s", qPrintable(name));
    }
}

QByteArray ProjectFixture::read(const QString& name) const
{
    QFile file(path(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool ProjectFixture::exists(const QString& name) const
{
    return QFileInfo::exists(path(name));
}

ProgramResult ProjectFixture::run(const QStringList& arguments, const QByteArray& input) const
{
    constexpr int kLongest = 120'000;
    const std::unique_ptr<QProcess> process = start(arguments);
    process->write(input);
    process->closeWriteChannel();
    if (!process->waitForFinished(kLongest)) {
        process->kill();
        process->waitForFinished();
        return {};
    }
    const bool normal = process->exitStatus() == QProcess::NormalExit;
    ProgramResult result{.exitCode = normal ? process->exitCode() : -1,
                         .out = QString::fromUtf8(process->readAllStandardOutput()),
                         .err = QString::fromUtf8(process->readAllStandardError())};
    if (result.exitCode == 0 && !m_isSpoilt) {
        auditOutput(m_folder.path(), result.out);
    }
    return result;
}

std::unique_ptr<QProcess> ProjectFixture::start(const QStringList& arguments) const
{
    auto process = std::make_unique<QProcess>();
    process->setWorkingDirectory(m_folder.path());
    process->start(CANNERY_PROGRAM, arguments);
    process->waitForStarted();
    return process;
}

QByteArray ProjectFixture::experiment(const QByteArray& what, const QByteArray& with) const
{
    QByteArray text = kExperiment;
    if (!what.isEmpty() && !text.contains(what)) {
        qFatal("the fixture's experiment has no '%s'", what.constData());
    }
    return what.isEmpty() ? text : text.replace(what, with);
}

void copyExample(const QString& name, const QString& target)
{
    const QDir source(QStringLiteral(CANNERY_SOURCE_DIR "/resources/examples/") + name);
    QDirIterator files(source.path(), QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString copied = target + "/" + source.relativeFilePath(files.next());
        QDir().mkpath(QFileInfo(copied).path());
        QFile::copy(files.filePath(), copied);
    }
}

} // namespace cannery::tests
