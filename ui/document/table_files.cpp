// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/table_files.h"

#include "core/spec/experiment.pb.h"

#include <QCoreApplication>
#include <QDir>

namespace cannery::ui {
namespace {

struct FileWords
{
    Q_DECLARE_TR_FUNCTIONS(TableFiles)
};

const QString kGzip = QStringLiteral(".gz");
const QString kZip = QStringLiteral(".zip");

bool hasEnding(const QString& path, const QString& ending)
{
    return path.endsWith(ending, Qt::CaseInsensitive);
}

QString withoutGzip(const QString& name)
{
    return hasEnding(name, kGzip) ? name.chopped(kGzip.size()) : name;
}

QList<TableFiles> filesOfTheSchema()
{
    QList<TableFiles> kinds;
    const google::protobuf::Descriptor& family = *spec::DataSource::descriptor();
    for (int i = 0; i < family.field_count(); ++i) {
        const google::protobuf::FieldDescriptor& kind = *family.field(i);
        const spec::SourceFiles& files = kind.message_type()->options().GetExtension(spec::source);
        // A folder of pictures is chosen as one, not by the name of a file.
        if (files.patterns().empty()) {
            continue;
        }
        TableFiles row{QString::fromStdString(kind.name()), {}, files.packed()};
        for (const std::string& pattern : files.patterns()) {
            row.patterns << QString::fromStdString(pattern);
        }
        kinds << row;
    }
    return kinds;
}

} // namespace

const QList<TableFiles>& tableFiles()
{
    static const QList<TableFiles> kFiles = filesOfTheSchema();
    return kFiles;
}

QString tableKindOf(const QString& path)
{
    const QString name = path.section(u'/', -1);
    for (const TableFiles& files : tableFiles()) {
        // QDir ignores case, as people who rename files do.
        if (QDir::match(files.patterns, files.mayBePacked ? withoutGzip(name) : name)) {
            return files.kind;
        }
    }
    return {};
}

bool isTablePath(const QString& path)
{
    // What is in an archive shows only once it is opened.
    return hasEnding(path, kZip) || !tableKindOf(path).isEmpty();
}

QString tableFileFilters(const QString& kind)
{
    QStringList patterns;
    for (const TableFiles& files : tableFiles()) {
        if (!kind.isEmpty() && files.kind != kind) {
            continue;
        }
        patterns << files.patterns;
        if (files.mayBePacked && !patterns.contains(u'*' + kGzip)) {
            patterns << u'*' + kGzip << u'*' + kZip;
        }
    }
    return FileWords::tr("Tables (%1);;All files (*)").arg(patterns.join(u' '));
}

} // namespace cannery::ui
