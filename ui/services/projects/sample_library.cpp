// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/sample_library.h"

#include "ui/document/background.h"
#include "ui/document/experiment_reading.h"
#include "ui/document/field_tree.h"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <array>

namespace cannery::ui {
namespace {

/// In teaching order; others follow by name.
const std::array<const char*, 5> kOrder{"titanic", "census", "penguins", "auto_mpg", "digits"};

QString experimentIn(const QString& folder)
{
    const QStringList files =
        QDir(folder).entryList({QStringLiteral("*.cannery")}, QDir::Files, QDir::Name);
    return files.isEmpty() ? QString() : QDir(folder).filePath(files.first());
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The text of a comment: "Who survived the Titanic." for "# Who survived the Titanic."
QString firstComment(const QByteArray& text)
{
    const QByteArray line = text.left(text.indexOf('\n')).trimmed();
    return line.startsWith('#') ? QString::fromUtf8(line.mid(1)).trimmed() : QString();
}

int filesBelow(const QString& folder)
{
    int count = 0;
    QDirIterator files(folder, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        files.next();
        ++count;
    }
    return count;
}

/// Our samples have no line breaks in cells; a folder of theirs holds pictures.
void countRows(const QString& path, Sample& sample)
{
    if (QFileInfo(path).isDir()) {
        sample.pictures += filesBelow(path);
        return;
    }
    const QByteArray text = contentOf(path).trimmed();
    if (text.isEmpty()) {
        return;
    }
    // Without the last line break there are as many as rows below the header.
    sample.rows += text.count('\n');
    sample.columns = static_cast<int>(text.left(text.indexOf('\n')).count(',')) + 1;
}

struct EstimatorWord
{
    const char* member;
    const char* word;
};

// The first one that the member begins with: the longer names come before the shorter ones.
const std::array<EstimatorWord, 8> kEstimators{{
    {"dnn_linear_combined", QT_TRANSLATE_NOOP("cannery::ui::SampleLibrary", "wide & deep")},
    {"dnn", QT_TRANSLATE_NOOP("cannery::ui::SampleLibrary", "deep network")},
    {"linear", QT_TRANSLATE_NOOP("cannery::ui::SampleLibrary", "linear")},
    {"boosted_trees", QT_TRANSLATE_NOOP("cannery::ui::SampleLibrary", "boosted trees")},
    {"baseline", QT_TRANSLATE_NOOP("cannery::ui::SampleLibrary", "baseline")},
    {"kmeans", QT_TRANSLATE_NOOP("cannery::ui::SampleLibrary", "clusters")},
    {"rnn", QT_TRANSLATE_NOOP("cannery::ui::SampleLibrary", "recurrent network")},
    {"custom", QT_TRANSLATE_NOOP("cannery::ui::SampleLibrary", "custom network")},
}};

/// The estimator of an experiment, in a word or two.
QString estimatorWord(const FieldNode& root)
{
    const FieldNode* estimator = findField(root, "estimator");
    if (estimator == nullptr || estimator->children.isEmpty()) {
        return {};
    }
    const QString member = estimator->children.first().name;
    for (const EstimatorWord& row : kEstimators) {
        if (member.startsWith(QLatin1String(row.member))) {
            return SampleLibrary::tr(row.word);
        }
    }
    return estimator->children.first().label;
}

Sample readSample(const QString& folder)
{
    const QString file = experimentIn(folder);
    Sample sample;
    sample.id = QFileInfo(folder).fileName();
    sample.folder = folder;
    const QByteArray text = contentOf(file);
    const ExperimentReadingPtr reading = readExperiment(text, file);
    sample.title = reading->name.isEmpty() ? sample.id : reading->name;
    sample.sentence = firstComment(text);
    sample.estimator = estimatorWord(reading->root);
    if (const FieldNode* rows = findField(reading->root, "data.train")) {
        const QList<const FieldNode*> files = rows->naming({FieldNames::File});
        for (const FieldNode* data : files) {
            countRows(QDir(folder).filePath(data->text), sample);
        }
        if (files.size() == 1 && rows->child(QStringLiteral("csv")) != nullptr) {
            sample.table = QDir(folder).filePath(files.first()->text);
        }
    }
    return sample;
}

qsizetype placeOf(const Sample& sample)
{
    const auto found = std::find_if(kOrder.begin(), kOrder.end(),
                                    [&](const char* id) { return sample.id == QLatin1String(id); });
    return found - kOrder.begin();
}

QList<Sample> readSamples(const QString& library)
{
    QList<Sample> samples;
    if (library.isEmpty()) {
        return samples;
    }
    const QStringList names =
        QDir(library).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
    for (const QString& name : names) {
        const QString folder = QDir(library).filePath(name);
        if (!experimentIn(folder).isEmpty()) {
            samples << readSample(folder);
        }
    }
    std::stable_sort(samples.begin(), samples.end(),
                     [](const Sample& a, const Sample& b) { return placeOf(a) < placeOf(b); });
    return samples;
}

struct Copied
{
    QString experimentFile;
    QString error;
};

/// Creates "name", otherwise "name-2" …; empty if none can be created.
QString makeFreshFolder(const QString& parent, const QString& name)
{
    if (!QDir().mkpath(parent)) {
        return {};
    }
    constexpr int kMostTries = 10000;
    for (int i = 1; i < kMostTries; ++i) {
        const QString fresh = i == 1 ? name : QStringLiteral("%1-%2").arg(name).arg(i);
        if (QDir(parent).mkdir(fresh)) {
            return QDir(parent).filePath(fresh);
        }
        // Not because the name is taken: no other name would help.
        if (!QFileInfo::exists(QDir(parent).filePath(fresh))) {
            return {};
        }
    }
    return {};
}

Copied copySample(const QString& from, const QString& projects)
{
    if (experimentIn(from).isEmpty()) {
        return {{}, SampleLibrary::tr("There is no such sample.")};
    }
    const QString to = makeFreshFolder(projects, QFileInfo(from).fileName());
    if (to.isEmpty()) {
        return {
            {},
            SampleLibrary::tr("Cannot create a folder in %1; choose another folder for projects "
                              "in the settings.")
                .arg(projects)};
    }
    QDirIterator files(from, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString file = files.next();
        const QString target = QDir(to).filePath(QDir(from).relativeFilePath(file));
        if (!QDir().mkpath(QFileInfo(target).path()) || !QFile::copy(file, target)) {
            // Half a sample would look like a project.
            QDir(to).removeRecursively();
            return {{}, SampleLibrary::tr("%1 cannot be written; is the disk full?").arg(target)};
        }
        // Installed samples are read-only.
        QFile::setPermissions(target, QFile::permissions(target) | QFile::WriteOwner);
    }
    return {experimentIn(to), {}};
}

} // namespace

class SampleLibrary::Private
{
public:
    QList<Sample> m_samples;
    QThreadPool m_pool;
};

SampleLibrary::SampleLibrary(QObject* parent)
    : QObject(parent), m_private(std::make_unique<Private>())
{
    m_private->m_pool.setMaxThreadCount(1);
    inBackground(
        m_private->m_pool, this, [] { return readSamples(libraryFolder()); },
        [this](const QList<Sample>& samples) {
            m_private->m_samples = samples;
            Q_EMIT changed();
        });
}

SampleLibrary::~SampleLibrary()
{
    m_private->m_pool.waitForDone();
}

QList<Sample> SampleLibrary::samples() const
{
    return m_private->m_samples;
}

void SampleLibrary::copy(const QString& sample, const QString& projects,
                         std::function<void(const QString&, const QString&)> done)
{
    inBackground(
        m_private->m_pool, this,
        [sample, projects] { return copySample(libraryFolder() + u'/' + sample, projects); },
        [done = std::move(done)](const Copied& copied) {
            done(copied.experimentFile, copied.error);
        });
}

void SampleLibrary::make(const QString& sample, const QString& projects)
{
    Q_EMIT working(1);
    copy(sample, projects, [this](const QString& file, const QString& error) {
        Q_EMIT working(-1);
        if (file.isEmpty()) {
            Q_EMIT failed(error);
        } else {
            Q_EMIT made(file);
        }
    });
}

QString SampleLibrary::libraryFolder()
{
    const QString chosen = qEnvironmentVariable("CANNERY_EXAMPLES");
    QStringList places{chosen.isEmpty() ? QString() : chosen,
                       QCoreApplication::applicationDirPath() +
                           QStringLiteral("/../share/cannery/examples")};
#ifdef CANNERY_SOURCE_EXAMPLES
    places << QStringLiteral(CANNERY_SOURCE_EXAMPLES);
#endif
    for (const QString& place : std::as_const(places)) {
        if (!place.isEmpty() && QFileInfo(place).isDir()) {
            return QDir(place).absolutePath();
        }
    }
    return {};
}

} // namespace cannery::ui
