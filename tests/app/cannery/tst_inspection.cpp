// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/inspection.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <ctime>

using namespace cannery;
using namespace cannery::app;

namespace {

/// A bytes field in Protocol Buffers' encoding.
QByteArray field(int number, const QByteArray& bytes)
{
    QByteArray encoded(1, static_cast<char>(number << 3 | 2));
    auto size = static_cast<quint32>(bytes.size());
    for (; size >= 0x80; size >>= 7) {
        encoded.append(static_cast<char>(size | 0x80));
    }
    return encoded.append(static_cast<char>(size)).append(bytes);
}

QByteArray nameOf(int signature)
{
    return "signature_" + QByteArray::number(signature).rightJustified(6, '0');
}

/// A SavedModel with this many signatures, each with one input.
void writeSavedModel(const QString& folder, int signatures)
{
    const QByteArray input = field(1, field(1, "x") + field(2, field(1, "x:0") + "\x10\x01"));
    QByteArray graph = field(1, field(4, "serve"));
    for (int i = 0; i < signatures; ++i) {
        graph += field(5, field(1, nameOf(i)) + field(2, input + field(3, "predict")));
    }
    QDir().mkpath(folder);
    QFile file(folder + "/saved_model.pb");
    const QByteArray bytes = "\x08\x01" + field(2, graph);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
        qFatal("cannot write %s", qPrintable(folder));
    }
}

double processorSeconds()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

} // namespace

class TstInspection : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everySignatureIsShown();
    void theFolderOfATrainerShowsTheModelToServe();
    void manySignaturesTakeNoMoreThanTheirShare();

private:
    QTemporaryDir m_folder;
};

void TstInspection::everySignatureIsShown()
{
    const QString folder = m_folder.filePath("three");
    writeSavedModel(folder, 3);
    const auto found = inspect(folder.toStdString(), 5);
    VERIFY_OK(found);
    const auto json = nlohmann::ordered_json::parse(found->json);
    const auto& signatures = json["meta_graphs"][0]["signatures"];
    QCOMPARE(signatures.size(), std::size_t{3});
    int i = 0;
    for (const auto& [name, signature] : signatures.items()) {
        QCOMPARE(QByteArray::fromStdString(name), nameOf(i++));
        QCOMPARE(signature["method"].get<std::string>(), std::string("predict"));
        QCOMPARE(signature["inputs"]["x"]["tensor"].get<std::string>(), std::string("x:0"));
        QCOMPARE(signature["inputs"]["x"]["dtype"].get<std::string>(), std::string("float32"));
    }
    const std::vector<std::string>& lines = found->lines;
    QVERIFY(std::find(lines.begin(), lines.end(), "  signature signature_000001 (predict)") !=
            lines.end());
}

void TstInspection::theFolderOfATrainerShowsTheModelToServe()
{
    const QString folder = m_folder.filePath("model/7");
    writeSavedModel(folder + "/Format-Serving", 1);
    const auto found = inspect(folder.toStdString(), 5);
    VERIFY_OK(found);
    const auto json = nlohmann::ordered_json::parse(found->json);
    QCOMPARE(json["meta_graphs"][0]["signatures"].size(), std::size_t{1});
}

/// Ten times as many take about ten times the work, not a hundred times. Compares processor times
/// of this process.
void TstInspection::manySignaturesTakeNoMoreThanTheirShare()
{
    const auto secondsFor = [&](int signatures) {
        const QString folder = m_folder.filePath(QString::number(signatures));
        writeSavedModel(folder, signatures);
        const double begin = processorSeconds();
        const auto found = inspect(folder.toStdString(), 5);
        const double seconds = processorSeconds() - begin;
        return found && QByteArray::fromStdString(found->json).count("\"method\"") == signatures
                   ? seconds
                   : -1;
    };
    const double some = secondsFor(20'000);
    const double many = secondsFor(200'000);
    QVERIFY(some > 0 && many > 0);
    QVERIFY2(many < 30 * some, qPrintable(QString("%1 s, then %2 s").arg(some).arg(many)));
}

CANNERY_TEST(TstInspection)
#include "tst_inspection.moc"
