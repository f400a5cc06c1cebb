// SPDX-License-Identifier: Apache-2.0
#include "tests/support/audit.h"

#include "storage/io/files.h"
#include "storage/runs/decision_metric.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_lock.h"
#include "storage/runs/run_store.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/checkpoint_state.h"
#include "storage/tf/graphs/saved_model_reader.h"

#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <algorithm>
#include <optional>
#include <set>

namespace cannery::tests {
namespace {

using storage::RunCheckpoint;
using storage::RunExport;

QByteArray text(const std::string& utf8)
{
    return QByteArray::fromStdString(utf8);
}

/// Every byte of a checkpoint, which is to be of that step.
QByteArray checkpointProblem(const std::string& prefix, std::int64_t step)
{
    const auto reader = storage::CheckpointReader::open(prefix);
    if (!reader) {
        return text(reader.error().message());
    }
    for (const storage::CheckpointEntry& entry : reader->entries()) {
        if (const auto value = reader->read(entry.name); !value) {
            return text(value.error().message());
        }
    }
    const auto found = reader->readInt64("global_step");
    return found && *found == step ? QByteArray()
                                   : text(prefix) + " is the model of step " +
                                         QByteArray::number(qint64(found.value_or(-1))) +
                                         ", not of " + QByteArray::number(qint64(step));
}

/// The variables of a SavedModel beside those of a checkpoint.
QByteArray differenceOf(const std::string& exported, const std::string& prefix)
{
    const auto served = storage::CheckpointReader::open(exported + "/variables/variables");
    const auto trained = storage::CheckpointReader::open(prefix);
    if (!served || !trained) {
        return text(exported) + " has no variables";
    }
    for (const storage::CheckpointEntry& entry : served->entries()) {
        const auto left = served->read(entry.name);
        const auto right = trained->read(entry.name);
        if (!left || !right || !(*left == *right)) {
            return text(exported) + ": " + text(entry.name) + " is not as in " + text(prefix);
        }
    }
    return {};
}

/// One run's folder.
class RunAudit
{
public:
    explicit RunAudit(std::string folder) : m_folder(std::move(folder)), m_files(m_folder)
    {
        const auto status = m_files.readStatus();
        m_wasKilled = !status || storage::needsOwner(status->state);
    }

    QByteArray problem() const
    {
        const auto checkpoints = m_files.readCheckpoints();
        const auto exports = m_files.readExports();
        const auto allExports = m_files.readAllExports();
        if (!checkpoints || !exports || !allExports) {
            return text((checkpoints ? exports.error() : checkpoints.error()).message());
        }
        QByteArray found = listProblem(*checkpoints, *exports);
        if (found.isEmpty()) {
            found = logProblem(*allExports);
        }
        if (found.isEmpty()) {
            found = bestProblem(*checkpoints);
        }
        return found.isEmpty() && !m_wasKilled ? strayProblem(*checkpoints) : found;
    }

    /// What a list says, the run's own or the store's.
    QByteArray listProblem(const std::vector<RunCheckpoint>& checkpoints,
                           const std::vector<RunExport>& exports) const
    {
        for (const RunCheckpoint& checkpoint : checkpoints) {
            const std::string prefix = prefixOf(checkpoint.globalStep);
            const bool mayBeGone = m_wasKilled && !checkpoint.keptBecause.starts_with("latest");
            if (!storage::checkpointExists(prefix) && mayBeGone) {
                continue;
            }
            if (QByteArray found = checkpointProblem(prefix, checkpoint.globalStep);
                !found.isEmpty()) {
                return found;
            }
        }
        for (const RunExport& entry : exports) {
            QByteArray found =
                exportProblem(storage::joinPath(m_folder, entry.path), entry.globalStep);
            if (!found.isEmpty()) {
                return "listed as an export of '" + text(entry.exporter) + "': " + found;
            }
        }
        return {};
    }

private:
    std::string prefixOf(std::int64_t step) const
    {
        return storage::joinPath(m_folder, "model.ckpt-" + std::to_string(step));
    }

    QByteArray exportProblem(const std::string& path, std::optional<std::int64_t> step) const
    {
        if (const auto whole = storage::checkSavedModel(path); !whole) {
            return text(path) + ": " + text(whole.error().message());
        }
        const auto reader = storage::CheckpointReader::open(path + "/variables/variables");
        const std::int64_t found = reader ? reader->readInt64("global_step").value_or(-1) : -1;
        if (step && found != *step) {
            return text(path) + " is the model of step " + QByteArray::number(qint64(found)) +
                   ", not of " + QByteArray::number(qint64(*step));
        }
        return storage::checkpointExists(prefixOf(found)) ? differenceOf(path, prefixOf(found))
                                                          : QByteArray();
    }

    /// "Saved the checkpoint of step 3: P", "Exported P", "Deleted the older export P".
    /// `exports`: those too that are being written or deleted.
    QByteArray logProblem(const std::vector<RunExport>& exports) const
    {
        QFile file(QString::fromStdString(m_folder + "/" + std::string(storage::kRunLogFile)));
        if (!file.open(QIODevice::ReadOnly)) {
            return {};
        }
        std::set<std::string> exported;
        std::optional<std::string> saved;
        for (const QByteArray& line : file.readAll().split('\n')) {
            if (const auto path = after(line, " Exported ")) {
                exported.insert(*path);
            } else if (const auto gone = after(line, " Deleted the older export ")) {
                exported.erase(*gone);
            } else if (line.contains(" Saved the checkpoint of step ")) {
                saved = after(line, ": ");
            }
        }
        for (const std::string& path : exported) {
            // A kill may come between a deletion and its line: until that is logged, the list says
            // that it is being deleted.
            const bool isOnItsWayOut =
                std::any_of(exports.begin(), exports.end(), [&](const RunExport& entry) {
                    return entry.state == storage::ExportState::Deleting &&
                           storage::joinPath(m_folder, entry.path) == here(path);
                });
            if (isOnItsWayOut && !storage::exists(here(path))) {
                continue;
            }
            if (QByteArray found = exportProblem(here(path), std::nullopt); !found.isEmpty()) {
                return "announced in the log: " + found;
            }
        }
        const auto step = saved ? storage::checkpointStep(*saved) : std::nullopt;
        return step ? checkpointProblem(here(*saved), *step) : QByteArray();
    }

    /// The best of all that was evaluated and may be spoken of is there. An evaluator may find out
    /// that a checkpoint is the best when newer ones have already replaced it.
    QByteArray bestProblem(const std::vector<RunCheckpoint>& checkpoints) const
    {
        const auto info = m_files.readInfo();
        const auto evaluations = m_files.readEvaluations();
        const bool hasEvaluator =
            storage::exists(storage::joinPath(m_folder, std::string("evaluator.lock")));
        if (!info || !evaluations || checkpoints.empty() || hasEvaluator) {
            return {};
        }
        const auto best = storage::bestEvaluation(info->parameters, *evaluations);
        return best && !storage::checkpointExists(prefixOf(best->globalStep))
                   ? text(m_folder) + ": the best checkpoint, of step " +
                         QByteArray::number(qint64(best->globalStep)) + ", is gone"
                   : QByteArray();
    }

    /// What nobody lists is never deleted.
    QByteArray strayProblem(const std::vector<RunCheckpoint>& checkpoints) const
    {
        for (const std::string& name :
             storage::listFolder(m_folder).value_or(std::vector<std::string>())) {
            if (!name.starts_with("model.ckpt-") || !name.ends_with(".index")) {
                continue;
            }
            const auto step = storage::checkpointStep(name.substr(0, name.size() - 6));
            if (std::none_of(checkpoints.begin(), checkpoints.end(), [&](const auto& checkpoint) {
                    return checkpoint.globalStep == step;
                })) {
                return text(m_folder) + ": " + text(name) + " is there, and no list names it";
            }
        }
        return {};
    }

    static std::optional<std::string> after(const QByteArray& line, const char* words)
    {
        const qsizetype at = line.indexOf(words);
        return at < 0 ? std::nullopt
                      : std::optional(line.mid(at + qsizetype(qstrlen(words))).toStdString());
    }

    /// A path may be relative to where the program ran, and the folder may have been moved since:
    /// what is named in it is still in it.
    std::string here(const std::string& path) const
    {
        const std::string name = "/" + storage::baseName(m_folder) + "/";
        const std::string whole = "/" + path;
        const std::size_t at = whole.rfind(name);
        return at == std::string::npos ? path : m_folder + "/" + whole.substr(at + name.size());
    }

    std::string m_folder;
    storage::RunFiles m_files;
    bool m_wasKilled = false;
};

/// What the store of a project says of its runs.
QByteArray storeAudit(const QString& project)
{
    auto store = storage::RunStore::open(project.toStdString());
    if (!store) {
        return text(store.error().message());
    }
    const auto runs = store->list();
    if (!runs) {
        return text(runs.error().message());
    }
    for (const storage::RunSummary& summary : *runs) {
        const std::string folder = store->folderOf(summary.info.name);
        const auto details = store->show(summary.info.name);
        if (!details || storage::RunLock::owner(folder) || !storage::isFolder(folder)) {
            continue;
        }
        const QByteArray found =
            RunAudit(folder).listProblem(details->checkpoints, details->exports);
        if (!found.isEmpty()) {
            return "the store: " + found;
        }
    }
    return {};
}

} // namespace

QByteArray auditProblem(const QString& folder)
{
    QDirIterator files(folder, {"run.json", "cannery.db"}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QFileInfo file(files.next());
        const std::string here = file.absolutePath().toStdString();
        QByteArray found;
        if (file.fileName() == "cannery.db") {
            found = storeAudit(file.absolutePath());
        } else if (!storage::RunLock::owner(here)) {
            found = RunAudit(here).problem();
        }
        if (!found.isEmpty()) {
            return found;
        }
    }
    return {};
}

QByteArray auditOutputProblem(const QString& folder, const QString& output)
{
    const QJsonObject json = QJsonDocument::fromJson(output.toUtf8()).object();
    const std::string base = folder.toStdString();
    for (const char* key : {"checkpoint", "path", "folder", "model_dir"}) {
        const std::string path = json[QLatin1String(key)].toString().toStdString();
        if (path.empty()) {
            continue;
        }
        const std::string whole = storage::joinPath(base, path);
        if (qstrcmp(key, "checkpoint") == 0) {
            // The variables of a SavedModel have no step in their name.
            const std::int64_t printed = json["global_step"].toInteger(-1);
            const std::int64_t step = storage::checkpointStep(whole).value_or(printed);
            if (QByteArray found = checkpointProblem(whole, step); !found.isEmpty()) {
                return found;
            }
        } else if (!storage::exists(whole) && !storage::checkpointExists(whole)) {
            return text(whole) + " was printed as '" + key + "', and is not there";
        }
    }
    return {};
}

void audit(const QString& folder)
{
    if (const QByteArray problem = auditProblem(folder); !problem.isEmpty()) {
        QTest::qFail("audit: " + problem, __FILE__, __LINE__);
    }
}

void auditOutput(const QString& folder, const QString& output)
{
    if (const QByteArray problem = auditOutputProblem(folder, output); !problem.isEmpty()) {
        QTest::qFail("audit: " + problem, __FILE__, __LINE__);
    }
}

} // namespace cannery::tests
