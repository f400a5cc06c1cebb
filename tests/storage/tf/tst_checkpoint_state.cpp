// SPDX-License-Identifier: Apache-2.0
#include "storage/io/atomic_write.h"
#include "storage/io/files.h"
#include "storage/io/text_checksum.h"
#include "storage/tf/checkpoints/checkpoint_state.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

using namespace cannery;
using namespace cannery::storage;

class TstCheckpointState : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void writesRelativePathsAsEstimatorDoes();
    void readsTimestampsOfCheckpointManager();
    void namesStayBelowTheFolder();
    void noFileIsNoState();
    void latestNeedsAnIndex();
    void refusesWhatItCannotUnderstand();
    void stepsStandAfterTheLastDash();
};

void TstCheckpointState::writesRelativePathsAsEstimatorDoes()
{
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    const CheckpointState state{
        .latest = path + "/model.ckpt-20",
        .all = {path + "/model.ckpt-10", "/elsewhere/model.ckpt-15", path + "/model.ckpt-20"}};
    VERIFY_OK(writeCheckpointState(path, state));
    const std::string first = "model_checkpoint_path: \"model.ckpt-20\"\n";
    const std::string rest = "all_model_checkpoint_paths: \"model.ckpt-10\"\n"
                             "all_model_checkpoint_paths: \"/elsewhere/model.ckpt-15\"\n"
                             "all_model_checkpoint_paths: \"model.ckpt-20\"\n";
    QCOMPARE(*readWholeFile(path + "/checkpoint"), withChecksumLine(first + rest, first.size()));
    // A path that was elsewhere when written is looked up here: nothing outside the folder is
    // deleted.
    CheckpointState back = state;
    back.all[1] = path + "/model.ckpt-15";
    QVERIFY(*readCheckpointState(path) == back);
}

void TstCheckpointState::namesStayBelowTheFolder()
{
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    for (const char* name : {"../../etc/passwd", "a/../../b", "..", "/tmp/x/..", "/"}) {
        const std::string line = std::string("model_checkpoint_path: \"") + name + "\"\n";
        VERIFY_OK(writeFileAtomically(path + "/checkpoint", line));
        VERIFY_ERROR(readCheckpointState(path), "checkpoint.state_outside");
        VERIFY_OK(writeFileAtomically(path + "/checkpoint", "model_checkpoint_path: \"a-1\"\nall_" +
                                                                line.substr(0, 21) + "s" +
                                                                line.substr(21)));
        VERIFY_ERROR(readCheckpointState(path), "checkpoint.state_outside");
    }
    VERIFY_OK(writeFileAtomically(path + "/checkpoint", "model_checkpoint_path: \"/old/a-3\"\n"));
    QCOMPARE((*readCheckpointState(path))->latest, path + "/a-3");
}

void TstCheckpointState::readsTimestampsOfCheckpointManager()
{
    const std::string folder = CANNERY_SOURCE_DIR "/tests/golden/checkpoint/object_keras";
    const auto state = readCheckpointState(folder);
    VERIFY_OK(state);
    QCOMPARE((*state)->latest, folder + "/ckpt-2");
    QCOMPARE((*state)->all, (std::vector<std::string>{folder + "/ckpt-1", folder + "/ckpt-2"}));
    QCOMPARE((*state)->timestamps, (std::vector<double>{1795250822.4617357, 1795250822.4702113}));
    QCOMPARE((*state)->lastPreserved, 1795250821.4513505);
}

void TstCheckpointState::noFileIsNoState()
{
    const QTemporaryDir folder;
    QVERIFY(!readCheckpointState(folder.path().toStdString())->has_value());
    QVERIFY(!latestCheckpoint(folder.path().toStdString())->has_value());
}

void TstCheckpointState::latestNeedsAnIndex()
{
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    VERIFY_OK(writeFileAtomically(path + "/checkpoint", "model_checkpoint_path: \"a-3\"\n"));
    QVERIFY(!latestCheckpoint(path)->has_value());
    VERIFY_OK(writeFileAtomically(path + "/a-3.index", ""));
    QCOMPARE(**latestCheckpoint(path), path + "/a-3");
}

void TstCheckpointState::refusesWhatItCannotUnderstand()
{
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    for (const char* text : {"", "model_checkpoint_path: ", "model_checkpoint_path: \"a\"\nx: 1\n",
                             "all_model_checkpoint_paths: \"a\""}) {
        VERIFY_OK(writeFileAtomically(path + "/checkpoint", text));
        VERIFY_ERROR(readCheckpointState(path), "checkpoint.state_damaged");
    }
}

void TstCheckpointState::stepsStandAfterTheLastDash()
{
    QCOMPARE(checkpointStep("a/model.ckpt-200"), std::optional<std::int64_t>(200));
    for (const char* name : {"model.ckpt", "model.ckpt-", "model-x", "model--1x", ""}) {
        QVERIFY(!checkpointStep(name));
    }
}

CANNERY_TEST(TstCheckpointState)
#include "tst_checkpoint_state.moc"
