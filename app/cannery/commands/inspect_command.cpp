// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/inspect_command.h"

#include "app/cannery/reports/embedding_view.h"

namespace cannery::app {

namespace {

constexpr ErrorKind kNoTable{"command.usage.no_table",
                             "--projector needs --components TABLE: the table to write."};

} // namespace

void InspectCommand::declare(OptionSet& options)
{
    options.argument("PATH", m_path,
                     "a checkpoint, event file, SavedModel, TFRecord file or table; the folder of "
                     "a run, for its "
                     "latest checkpoint, or one of event files");
    options.option("--records", "N", m_records,
                   "how many records to show, or events to read (default: 5, all events)");
    options.flag("--embeddings", m_embeddings,
                 "list the tables of embeddings in a run, checkpoint or SavedModel");
    options.option("--components", "TABLE", m_table,
                   "the principal components of a table of embeddings, by its variable or its "
                   "feature column, and where the words lie along them");
    options.option("--projector", "FOLDER", m_projector,
                   "with --components: write the table into this new folder for TensorBoard's "
                   "projector");
    options.flag("--json", m_json, "print one JSON object");
}

Result<Inspection> InspectCommand::inspectEmbedding() const
{
    CANNERY_TRY_ASSIGN(const EmbeddingView view, lookAtEmbedding(m_path, *m_table));
    if (m_projector) {
        CANNERY_TRY(writeProjector(view, *m_projector));
    }
    return embeddingInspection(view);
}

ExitCode InspectCommand::run(Console& console)
{
    if (m_projector && !m_table) {
        return reportFailure(console, error(ErrorCode::InvalidArgument, kNoTable));
    }
    const Result<Inspection> found = m_table        ? inspectEmbedding()
                                     : m_embeddings ? inspectEmbeddings(m_path)
                                                    : inspect(m_path, m_records);
    if (!found) {
        return reportFailure(console, found.error());
    }
    if (m_json) {
        console.document(found->json);
    }
    for (const std::string& line : m_json ? std::vector<std::string>() : found->lines) {
        console.result(line);
    }
    for (const std::string& sentence : found->damages) {
        console.diagnostic("error: " + sentence);
    }
    return found->damages.empty() ? ExitCode::Done : ExitCode::Failed;
}

} // namespace cannery::app
