// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/tables/table_files.h"

#include <QCoreApplication>

#include <algorithm>

namespace cannery::ui {
namespace {

struct FileWords
{
    Q_DECLARE_TR_FUNCTIONS(TableFiles)
};

const QString kGzip = QStringLiteral(".gz");
const QString kRecords = QStringLiteral("tfrecord");
const QString kZip = QStringLiteral(".zip");

bool hasEnding(const QString& path, const QString& ending)
{
    return path.endsWith(ending, Qt::CaseInsensitive);
}

/// Writers number their files: "part.tfrecord-00000-of-00010".
bool isNumberedRecord(const QString& path)
{
    return path.section(u'/', -1).contains(QLatin1String(".tfrecord"), Qt::CaseInsensitive);
}

QString withoutGzip(const QString& path)
{
    return hasEnding(path, kGzip) ? path.chopped(kGzip.size()) : path;
}

} // namespace

const QList<TableFiles>& tableFiles()
{
    static const QList<TableFiles> kFiles{
        {"csv", {".csv", ".tsv", ".tab", ".txt", ".psv", ".dat", ".data"}},
        {"json_lines", {".jsonl", ".ndjson"}},
        {"arff", {".arff"}},
        {"libsvm", {".libsvm", ".svm", ".svmlight"}},
        {"fixed_width", {".fwf"}},
        {"sqlite", {".sqlite", ".sqlite3", ".db", ".db3"}, false},
        {"npz", {".npz"}, false},
        {"tfrecord", {".tfrecord", ".tfrecords"}},
    };
    return kFiles;
}

QString tableKindOf(const QString& path)
{
    const QString plain = withoutGzip(path);
    for (const TableFiles& files : tableFiles()) {
        const QString& named = files.mayBePacked ? plain : path;
        const bool fits =
            std::any_of(files.endings.begin(), files.endings.end(),
                        [&](const QString& ending) { return hasEnding(named, ending); });
        if (fits || (files.kind == kRecords && isNumberedRecord(path))) {
            return files.kind;
        }
    }
    return {};
}

bool isTablePath(const QString& path)
{
    return hasEnding(path, kZip) || !tableKindOf(path).isEmpty();
}

QString tableFileFilters(const QString& kind)
{
    QStringList patterns;
    for (const TableFiles& files : tableFiles()) {
        if (!kind.isEmpty() && files.kind != kind) {
            continue;
        }
        for (const QString& ending : files.endings) {
            patterns << u'*' + ending;
        }
        if (files.kind == kRecords) {
            patterns << QStringLiteral("*.tfrecord-*");
        }
        if (files.mayBePacked && !patterns.contains(u'*' + kGzip)) {
            patterns << u'*' + kGzip << u'*' + kZip;
        }
    }
    return FileWords::tr("Tables (%1);;All files (*)").arg(patterns.join(u' '));
}

} // namespace cannery::ui
