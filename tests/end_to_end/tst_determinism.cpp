#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery::tests;

/// Same experiment, same seed: the same bits in the last checkpoint.
class TstDeterminism : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void repeatsGiveTheSameBits();
    void threadsGiveTheSameBits();
    void anotherSeedGivesOtherBits();
    void resumedRunGivesTheSameBits();

private:
    QByteArray train(const ProjectFixture& project, const QString& folder,
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

CANNERY_TEST(TstDeterminism)
#include "tst_determinism.moc"
