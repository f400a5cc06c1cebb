// SPDX-License-Identifier: Apache-2.0
#include "tests/architecture/engine_sources.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

namespace {

/// What may be larger than the ceiling, by how much, and why. A number that has fallen is lowered.
struct Exception
{
    const char* what;
    int most;
    const char* reason;
};

constexpr int kMostFiles = 60;
constexpr Exception kFolders[]{
    {"core/features", 95, "a family: a pair of files for each feature column"},
    {"core/estimators", 66, "a family: a pair of files for each estimator"},
};

constexpr int kMostSources = 2;
constexpr Exception kSpread[]{
    {"storage/sqlite Database", 3, "one connection: opening, restriction, snapshot"},
    {"storage/runs RunStore", 3, "one database: opening, rescan"},
};

constexpr int kMostMethods = 20;
constexpr Exception kWide[]{
    {"ui/editing GuidedRun", 37, "the answers of a form"},
    {"kernels/cuda Runtime", 32, "a function of CUDA each"},
    {"kernels/cuda RealRuntime", 32, "a function of CUDA each"},
    {"ui/pages FeatureCommands", 31, "an action of the page each"},
    {"core/plan DeviceProgram", 28, "an operation each"},
    {"storage/runs RunStore", 27, "a statement of the store each"},
    {"storage/tf FloatNodes", 26, "an operation of TensorFlow each"},
    {"core/heads Head", 25, "the interface of a family"},
    {"storage/tf GraphDefBuilder", 25, "a kind of node each"},
    {"ui/services Settings", 25, "a setting each"},
    {"core/optimizers Optimizer", 27, "the interface of a family"},
    {"core/optimizers UpdateEmitter", 25, "an operation of TensorFlow each"},
    {"app/cannery Console", 22, "a kind of output each"},
    {"core/parameters ServedShare", 22, "one mutex guards store, setup and end"},
    {"storage/sqlite Statement", 22, "a type of value each"},
    {"ui/services RunCatalog", 22, "a kind of annotation each"},
    {"core/layers Layer", 22, "the interface of a family"},
    {"core/plan LaneGroup", 21, "what lanes of a step do together"},
    {"core/plan PartOptimizer", 22, "what the steps of the host and of devices ask of it"},
    {"core/plan Network", 21, "the passes of all layers, and what a step needs between them"},
    {"core/plan Model", 21, "all that a training asks of it"},
    {"ui/services EngineService", 21, "to be split"},
};

/// "core/plan" of core/plan/device/device_step.cpp.
QString roomOf(const QString& path)
{
    return path.section('/', 0, 1);
}

QList<cannery::tests::SourceText> allSources()
{
    return cannery::tests::sourcesBelow({"app", "core", "kernels", "storage", "ui"});
}

/// The public methods of each class that a header defines, by "core/plan Model".
QMap<QString, int> methodsOf(const cannery::tests::SourceText& header)
{
    static const QRegularExpression kClass(R"(^class\s+(?:\[\[\w+\]\]\s*)?(\w+)[^;]*$)");
    static const QRegularExpression kAccess(R"(^(public|private|protected|Q_SIGNALS)\b.*:$)");
    static const QRegularExpression kMethod(R"(^    [\w\[~].*\()");
    QMap<QString, int> counts;
    QString name;
    bool isPublic = false;
    const QStringList lines = header.text.split('\n');
    for (const QString& line : lines) {
        if (const auto begin = kClass.match(line); begin.hasMatch()) {
            name = roomOf(header.path) + ' ' + begin.captured(1);
            isPublic = false;
        } else if (line == "};") {
            name.clear();
        } else if (const auto access = kAccess.match(line); access.hasMatch()) {
            isPublic = access.captured(1) == "public";
        } else if (!name.isEmpty() && isPublic && kMethod.match(line).hasMatch()) {
            ++counts[name];
        }
    }
    return counts;
}

/// Compares numbers with a ceiling and its exceptions: what is too large, and what is smaller than
/// its exception says.
template <std::size_t N>
QStringList offences(const QMap<QString, int>& numbers, int most, const Exception (&exceptions)[N])
{
    QStringList wrong;
    QSet<QString> excepted;
    for (const Exception& exception : exceptions) {
        const QString what = QString::fromLatin1(exception.what);
        excepted.insert(what);
        const int number = numbers.value(what);
        if (number != exception.most || number <= most) {
            wrong << QString("%1 has %2, its exception says %3 (%4)")
                         .arg(what)
                         .arg(number)
                         .arg(exception.most)
                         .arg(exception.reason);
        }
    }
    for (auto entry = numbers.begin(); entry != numbers.end(); ++entry) {
        if (entry.value() > most && !excepted.contains(entry.key())) {
            wrong << QString("%1 has %2, at most %3").arg(entry.key()).arg(entry.value()).arg(most);
        }
    }
    return wrong;
}

} // namespace

/// Folders and classes that somebody can take in.
class TstCeilings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void filesOfAFolder();
    void sourcesOfAClass();
    void publicMethodsOfAClass();
};

void TstCeilings::filesOfAFolder()
{
    QMap<QString, int> files;
    for (const cannery::tests::SourceText& source : allSources()) {
        ++files[source.path.section('/', 0, -2)];
    }
    QVERIFY(files.size() > 60);
    const QStringList wrong = offences(files, kMostFiles, kFolders);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
}

void TstCeilings::sourcesOfAClass()
{
    static const QRegularExpression kDefinition(
        R"(^(?:[A-Za-z_][\w:<>,&* ]*[ &*])?([A-Z]\w+)::~?\w+\()",
        QRegularExpression::MultilineOption);
    QMap<QString, QSet<QString>> places;
    for (const cannery::tests::SourceText& source : allSources()) {
        if (source.path.endsWith(".cpp")) {
            auto found = kDefinition.globalMatch(source.text);
            while (found.hasNext()) {
                places[roomOf(source.path) + ' ' + found.next().captured(1)].insert(source.path);
            }
        }
    }
    QMap<QString, int> sources;
    for (auto place = places.begin(); place != places.end(); ++place) {
        sources[place.key()] = static_cast<int>(place->size());
    }
    QVERIFY(sources.size() > 500);
    const QStringList wrong = offences(sources, kMostSources, kSpread);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
}

void TstCeilings::publicMethodsOfAClass()
{
    QMap<QString, int> methods;
    for (const cannery::tests::SourceText& source : allSources()) {
        if (source.path.endsWith(".h")) {
            const QMap<QString, int> found = methodsOf(source);
            for (auto entry = found.begin(); entry != found.end(); ++entry) {
                methods[entry.key()] = std::max(methods.value(entry.key()), entry.value());
            }
        }
    }
    QVERIFY(methods.size() > 500);
    const QStringList wrong = offences(methods, kMostMethods, kWide);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
}

CANNERY_TEST(TstCeilings)
#include "tst_ceilings.moc"
