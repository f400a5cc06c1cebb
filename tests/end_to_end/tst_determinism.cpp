#include "kernels/device/cpu_level.h"
#include "storage/tf/checkpoint_reader.h"
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace cannery;
using namespace cannery::tests;
using kernels::CpuLevel;

/// Same experiment, same seed: the same bits in the last checkpoint.
class TstDeterminism : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void repeatsGiveTheSameBits();
    void threadsGiveTheSameBits();
    void anotherSeedGivesOtherBits();
    void resumedRunGivesTheSameBits();
    void bitsArePromisedForOneLevelOfInstructions();
    void levelsOfInstructionsAgreeToTheLastDigits();
    void aRunThatChangesItsLevelSaysSo();

private:
    QByteArray train(const ProjectFixture& project, const QString& folder,
                     const QStringList& more = {});
    /// With layers and batches that the widest kernels are made for, under a level of instructions.
    QByteArray trainAt(CpuLevel level, const ProjectFixture& project, const QString& folder,
                       const QStringList& more = {});
};

QByteArray TstDeterminism::train(const ProjectFixture& project, const QString& folder,
                                 const QStringList& more)
{
    const ProgramResult result = project.run(
        QStringList{"train", "fixture.cannery", "--quiet", "--model-dir", folder} + more);
    if (result.exitCode != 0) {
        qFatal("%s", qPrintable(result.err));
    }
    return project.read(folder + "/model.ckpt-60.data-00000-of-00001");
}

void TstDeterminism::repeatsGiveTheSameBits()
{
    const ProjectFixture project;
    const QByteArray first = train(project, "a");
    QVERIFY(first.size() > 100);
    QCOMPARE(train(project, "b"), first);
}

void TstDeterminism::threadsGiveTheSameBits()
{
    const ProjectFixture project;
    const QByteArray one = train(project, "one", {"--threads", "1"});
    QVERIFY(one.size() > 100);
    QCOMPARE(train(project, "two", {"--threads", "2"}), one);
    QCOMPARE(train(project, "seven", {"--threads", "7"}), one);
}

void TstDeterminism::anotherSeedGivesOtherBits()
{
    const ProjectFixture project;
    QVERIFY(train(project, "a", {"--seed", "1"}) != train(project, "b", {"--seed", "2"}));
}

void TstDeterminism::resumedRunGivesTheSameBits()
{
    const ProjectFixture project;
    const QByteArray whole = train(project, "whole");
    const ProgramResult half = project.run({"train", "fixture.cannery", "--quiet", "--model-dir",
                                            "parts", "--set", "train_spec.max_steps=33"});
    QVERIFY2(half.exitCode == 0, qPrintable(half.err));
    QCOMPARE(train(project, "parts"), whole);
}

#define SKIP_WITHOUT_TWO_LEVELS()                                                                  \
    if (kernels::machineCpuLevel() == CpuLevel::X86_64_v3) {                                       \
        QSKIP("This processor has no AVX-512.");                                                   \
    }

QByteArray TstDeterminism::trainAt(CpuLevel level, const ProjectFixture& project,
                                   const QString& folder, const QStringList& more)
{
    const std::string_view name = kernels::name(level);
    qputenv(kernels::kCpuLevelVariable, QByteArray(name.data(), qsizetype(name.size())));
    const QByteArray bits =
        train(project, folder,
              QStringList{"--set", "estimator.dnn_classifier.hidden_units=[128, 64]", "--set",
                          "train_spec.input.batch_size=64"} +
                  more);
    qunsetenv(kernels::kCpuLevelVariable);
    // So that the level was in use indeed.
    if (!project.read(folder + "/model.ckpt-60.cannery").contains(name.data())) {
        qFatal("the checkpoint is of another level than %s", name.data());
    }
    return bits;
}

void TstDeterminism::bitsArePromisedForOneLevelOfInstructions()
{
    SKIP_WITHOUT_TWO_LEVELS()
    const ProjectFixture project;
    for (const CpuLevel level : {CpuLevel::X86_64_v3, CpuLevel::X86_64_v4}) {
        const QString name = QString::number(int(level));
        const QByteArray one = trainAt(level, project, name + "-one", {"--threads", "1"});
        QVERIFY(one.size() > 10'000);
        QCOMPARE(trainAt(level, project, name + "-three", {"--threads", "3"}), one);
    }
}

/// What README.md says of machines that differ: weights and slots, after sixty steps.
void TstDeterminism::levelsOfInstructionsAgreeToTheLastDigits()
{
    SKIP_WITHOUT_TWO_LEVELS()
    constexpr float kApart = 1e-4F;
    const ProjectFixture project;
    trainAt(CpuLevel::X86_64_v3, project, "narrow");
    trainAt(CpuLevel::X86_64_v4, project, "wide");
    const auto narrow =
        storage::CheckpointReader::open(project.path("narrow/model.ckpt-60").toStdString());
    const auto wide =
        storage::CheckpointReader::open(project.path("wide/model.ckpt-60").toStdString());
    VERIFY_OK(narrow);
    VERIFY_OK(wide);
    int compared = 0;
    for (const storage::CheckpointEntry& entry : narrow->entries()) {
        if (entry.dtype != DType::Float32) {
            continue;
        }
        const auto left = narrow->read(entry.name);
        const auto right = wide->read(entry.name);
        VERIFY_OK(left);
        VERIFY_OK(right);
        for (std::size_t i = 0; i < left->values<float>().size(); ++i) {
            const float a = left->values<float>()[i];
            const float b = right->values<float>()[i];
            QVERIFY2(std::abs(a - b) <= kApart * std::max(1.0F, std::abs(a)),
                     qPrintable(QString("%1[%2]: %3 and %4")
                                    .arg(QString::fromStdString(entry.name))
                                    .arg(i)
                                    .arg(a)
                                    .arg(b)));
            ++compared;
        }
    }
    QVERIFY(compared > 10'000);
}

void TstDeterminism::aRunThatChangesItsLevelSaysSo()
{
    SKIP_WITHOUT_TWO_LEVELS()
    const ProjectFixture project;
    trainAt(CpuLevel::X86_64_v4, project, "model");
    qputenv(kernels::kCpuLevelVariable, "x86-64-v3");
    const ProgramResult resumed = project.run({"resume", "model", "--max-steps", "61", "--quiet"});
    qunsetenv(kernels::kCpuLevelVariable);
    QVERIFY2(resumed.exitCode == 0, qPrintable(resumed.err));
    static const QRegularExpression s_told("The checkpoint was written by cannery \\S+ x86-64-v4; "
                                           "this is cannery \\S+ x86-64-v3, whose bits may "
                                           "differ\\.");
    QVERIFY2(resumed.err.contains(s_told), qPrintable(resumed.err));
}

CANNERY_TEST(TstDeterminism)
#include "tst_determinism.moc"
