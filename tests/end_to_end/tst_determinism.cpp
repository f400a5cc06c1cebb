// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/cpu_level.h"
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QRegularExpression>
#include <QTest>

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
    void levelsOfInstructionsGiveTheSameBits();
    void aRunThatChangesItsLevelSaysSo();

private:
    QByteArray train(const ProjectFixture& project, const QString& folder,
                     const QStringList& more = {});
    /// With layers and batches that use the widest kernels, at a given instruction level.
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
    // Checks that the level was actually used.
    if (!project.read(folder + "/model.ckpt-60.cannery").contains(name.data())) {
        qFatal("the checkpoint is of another level than %s", name.data());
    }
    return bits;
}

void TstDeterminism::levelsOfInstructionsGiveTheSameBits()
{
    SKIP_WITHOUT_TWO_LEVELS()
    const ProjectFixture project;
    const QByteArray narrow = trainAt(CpuLevel::X86_64_v3, project, "narrow", {"--threads", "1"});
    QVERIFY(narrow.size() > 10'000);
    QCOMPARE(trainAt(CpuLevel::X86_64_v4, project, "wide", {"--threads", "1"}), narrow);
    QCOMPARE(trainAt(CpuLevel::X86_64_v4, project, "wide-three", {"--threads", "3"}), narrow);
    QCOMPARE(trainAt(CpuLevel::X86_64_v3, project, "narrow-three", {"--threads", "3"}), narrow);
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
