// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/features/feature_editor.h"

#include "ui/document/experiment_document.h"
#include "ui/document/field_schema.h"
#include "ui/editing/feature_list_model.h"
#include "ui/editing/field_values.h"
#include "ui/editing/normalizer_facts.h"
#include "ui/editors/bucket_editor.h"
#include "ui/editors/field_form.h"
#include "ui/editors/hash_editor.h"
#include "ui/editors/normalizer_plot.h"
#include "ui/editors/vocabulary_editor.h"
#include "ui/models/formats.h"
#include "ui/pages/features/feature_commands.h"
#include "ui/pages/features/initial_table_choice.h"
#include "ui/pages/features/input_editor.h"
#include "ui/pages/features/vocabulary_file_panel.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/button.h"
#include "ui/widgets/key_value_list.h"
#include "ui/widgets/label.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {

FeatureEditor::FeatureEditor(ProjectSession& session, FeatureCommands& commands, QWidget* parent)
    : QWidget(parent), m_session(session), m_document(session.document()), m_commands(commands),
      m_name(new QLineEdit), m_kind(new Label({}, TextRole::Section)),
      m_help(new Label({}, TextRole::Label, Ink::Secondary)), m_body(new QVBoxLayout),
      m_facts(new KeyValueList), m_buttons(new QWidget)
{
    setObjectName("inspector.features");
    setAccessibleName(tr("Details of the selected feature column"));
    m_name->setObjectName("field.feature_name");
    m_name->setAccessibleName(tr("Name of the feature column"));
    m_kind->setWordWrap(true);
    m_help->setWordWrap(true);
    auto* duplicate = new Button(Button::Kind::Plain, tr("Duplicate"));
    duplicate->setObjectName("button.duplicate_column");
    auto* remove = new Button(Button::Kind::Danger, tr("Remove"));
    remove->setObjectName("button.remove_column");
    auto* buttons = new QHBoxLayout(m_buttons);
    buttons->setContentsMargins(0, 0, 0, 0);
    buttons->addWidget(duplicate);
    buttons->addWidget(remove);
    buttons->addStretch(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(scaled(16), scaled(16), scaled(16), scaled(16));
    column->setSpacing(scaled(10));
    column->addWidget(m_kind);
    column->addWidget(m_help);
    column->addWidget(m_name);
    column->addLayout(m_body);
    column->addWidget(m_facts);
    column->addWidget(m_buttons);
    column->addStretch(1);
    connect(m_name, &QLineEdit::editingFinished, this, [this] {
        if (m_feature) {
            const QString before = m_feature->name;
            // A name that is taken or empty is refused: the old one comes back.
            if (!m_commands.rename(before, m_name->text())) {
                m_name->setText(before);
            }
        }
    });
    connect(duplicate, &QPushButton::clicked, this,
            [this] { m_commands.duplicate(m_feature->name); });
    connect(remove, &QPushButton::clicked, this, [this] { m_commands.remove(m_feature->name); });
    setFeature(nullptr);
}

QString FeatureEditor::kindPath() const
{
    return m_feature->path + '.' + m_feature->kind;
}

void FeatureEditor::setFeature(const FeatureFacts* feature)
{
    const QString before = m_feature ? m_feature->path : QString();
    m_feature = feature ? std::optional(*feature) : std::nullopt;
    // Typing in another column is another step of undo.
    if (before != (feature ? feature->path : QString())) {
        m_document.edits().endTyping();
    }
    m_name->setVisible(feature);
    m_facts->setVisible(feature);
    m_buttons->setVisible(feature);
    if (!feature) {
        m_kind->setText(tr("No feature column selected"));
        m_help->setText(tr("Select a feature column to change it."));
        build();
        return;
    }
    // What is being typed is not replaced by what was.
    if (m_name->text() != feature->name && !(m_name->hasFocus() && before == feature->path)) {
        m_name->setText(feature->name);
    }
    m_kind->setText(feature->kindLabel.isEmpty() ? feature->kind : feature->kindLabel);
    m_help->setText(feature->help);
    build();
    refresh();
    showFacts();
}

void FeatureEditor::editName()
{
    m_name->setFocus(Qt::OtherFocusReason);
    m_name->selectAll();
}

/// Another column, or another kind, needs other editors.
void FeatureEditor::build()
{
    const QString wanted = m_feature && !m_feature->kind.isEmpty() ? kindPath() : QString();
    if (wanted == m_built) {
        return;
    }
    m_built = wanted;
    if (m_content) {
        m_content->hide();
        m_content->deleteLater();
    }
    m_content = nullptr;
    m_buckets = nullptr;
    m_words = nullptr;
    m_wordsFile = nullptr;
    m_inputs = nullptr;
    m_initial = nullptr;
    m_hash = nullptr;
    m_normalizer = nullptr;
    m_form = nullptr;
    if (!wanted.isEmpty()) {
        m_content = new QWidget;
        auto* column = new QVBoxLayout(m_content);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(scaled(10));
        makeEditors(wanted);
        m_body->addWidget(m_content);
        m_content->show();
    }
}

void FeatureEditor::makeEditors(const QString& path)
{
    const auto schema = messageSchema(path);
    if (!schema) {
        return;
    }
    // Fields that have an editor of their own are left out of the form.
    QStringList ownFields;
    makeValueEditors(*schema, ownFields);
    makeInputEditors(*schema, ownFields);
    addForm(path, ownFields);
    makeFindings(*schema);
}

void FeatureEditor::makeValueEditors(const MessageSchema& schema, QStringList& ownFields)
{
    QLayout& column = *m_content->layout();
    if (schema.field("boundaries")) {
        ownFields.append("boundaries");
        m_buckets = new BucketEditor;
        column.addWidget(m_buckets);
        connect(m_buckets, &BucketEditor::boundariesChanged, this,
                [this](const QList<double>& boundaries, bool typing) {
                    write("boundaries", boundariesField(boundaries), typing);
                });
    }
    if (schema.field("vocabulary_list")) {
        ownFields.append("vocabulary_list");
        m_words = new VocabularyEditor;
        column.addWidget(m_words);
        connect(m_words, &VocabularyEditor::wordsChanged, this,
                [this](const QStringList& words, bool typing) {
                    write("vocabulary_list", quotedList(words), typing);
                });
    }
    if (schema.field("vocabulary_file")) {
        m_wordsFile = new VocabularyFilePanel(m_session);
        column.addWidget(m_wordsFile);
    }
}

void FeatureEditor::makeInputEditors(const MessageSchema& schema, QStringList& ownFields)
{
    for (const FieldSchema& field : schema.fields) {
        const bool isCross = field.name == QLatin1String("key") &&
                             field.kind == FieldSchema::Kind::Message && field.isRepeated;
        const bool isGroup = field.names == FieldNames::FeatureColumn && field.isRepeated;
        if (!m_inputs && (isCross || isGroup)) {
            ownFields.append(field.name);
            m_inputs = new InputEditor(
                isCross ? InputEditor::Kind::Cross : InputEditor::Kind::Group, m_commands);
            m_content->layout()->addWidget(m_inputs);
        }
    }
}

void FeatureEditor::makeFindings(const MessageSchema& schema)
{
    QLayout& column = *m_content->layout();
    if (schema.field("ckpt_to_load_from")) {
        m_initial = new InitialTableChoice(m_session);
        column.addWidget(m_initial);
    }
    if (schema.field("normalizer")) {
        m_normalizer = new NormalizerPlot;
        column.addWidget(m_normalizer);
    }
    if (schema.field("hash_bucket_size")) {
        m_hash = new HashEditor;
        column.addWidget(m_hash);
        connect(m_hash, &HashEditor::bucketsRequested, this, [this](int buckets) {
            write("hash_bucket_size", QString::number(buckets), false);
        });
    }
}

void FeatureEditor::addForm(const QString& path, const QStringList& ownFields)
{
    const FormContext context{.document = &m_document, .names = [this](FieldNames names) {
                                  QStringList offered;
                                  for (const ColumnFacts& raw : m_commands.data().columns) {
                                      offered.append(raw.name);
                                  }
                                  // The inputs of columns have an editor of their own.
                                  return names == FieldNames::FeatureColumn ? QStringList()
                                                                            : offered;
                              }};
    m_form = new FieldForm(context, path, {.isLeftOut = [ownFields](const FieldSchema& field) {
                               return ownFields.contains(field.name);
                           }});
    followDocument(m_form, m_document);
    m_content->layout()->addWidget(m_form);
}

void FeatureEditor::write(const QString& field, const QString& value, bool typing)
{
    const QString path = kindPath() + '.' + field;
    if (typing) {
        m_document.edits().typeValue(path, value);
    } else {
        m_document.edits().endTyping();
        m_document.setValue(path, value);
    }
}

void FeatureEditor::refresh()
{
    if (m_buckets) {
        refreshBuckets();
    }
    if (m_words) {
        refreshWords();
    }
    if (m_wordsFile) {
        m_wordsFile->setColumn(kindPath(), m_commands.problemOf(kindPath()));
    }
    if (m_inputs) {
        m_inputs->setColumn(m_feature->name);
    }
    if (m_initial) {
        refreshInitial();
    }
    if (m_hash) {
        refreshHash();
    }
    if (m_normalizer) {
        refreshNormalizer();
    }
}

void FeatureEditor::refreshInitial()
{
    const FieldNode* list = m_document.field(kindPath() + ".categorical_columns");
    const QString column = list && !list->children.isEmpty()
                               ? list->children.first().text
                               : m_document.value(kindPath() + ".categorical_column");
    m_initial->setTable(kindPath(), valueCount(m_commands.source(), column),
                        m_document.value(kindPath() + ".dimension").toLongLong());
}

void FeatureEditor::refreshBuckets()
{
    m_buckets->setNumbers(
        normalizedNumbers(m_commands.source(), m_document.value(kindPath() + ".source_column")));
    // The newest text, which may be ahead of the fields while a key is held down.
    const QList<double> boundaries =
        boundariesOfField(m_document.edits().written(kindPath() + ".boundaries"));
    // An invalid text leaves the plot as it was.
    if (!boundaries.isEmpty()) {
        m_buckets->setBoundaries(boundaries);
    }
}

void FeatureEditor::refreshWords()
{
    const QString path = kindPath() + ".vocabulary_list";
    const FieldNode* field = m_document.field(path);
    // The newest text may be ahead of the fields while a key is held down.
    const bool isNewest = m_document.edits().written(path) == quotedList(m_words->words());
    if (field && !isNewest) {
        m_words->setWords(valuesOf(*field));
    }
    QHash<QString, double> counts;
    const ColumnFacts* raw = m_commands.data().find(m_document.value(kindPath() + ".key"));
    for (qsizetype i = 0; raw && i < raw->binLabels.size(); ++i) {
        counts.insert(raw->binLabels[i], raw->binCounts.value(i));
    }
    m_words->setCounts(counts, raw && raw->binLabels.size() >= raw->distinct);
}

/// What is hashed: the inputs of a cross, or one column of the table.
QStringList FeatureEditor::inputsOf() const
{
    const FieldNode* keys = m_document.field(kindPath() + ".key");
    return !keys ? QStringList() : keys->isMessage ? inputNames(*keys) : QStringList{keys->text};
}

void FeatureEditor::refreshHash()
{
    const QStringList inputs = inputsOf();
    double values = 1;
    // An unknown number of values makes the whole unknown: 0.
    for (const QString& input : inputs) {
        values *= double(std::max<qint64>(0, valueCount(m_commands.source(), input)));
    }
    const double buckets = m_document.value(kindPath() + ".hash_bucket_size").toDouble();
    m_hash->setSize(values, buckets, m_inputs);
    const auto& hashed = m_commands.hashed();
    const auto observed = hashed.constFind(m_feature->name);
    // A cross of crosses is counted by what these combine.
    const bool isCurrent =
        observed != hashed.end() &&
        (!observed->problem.isEmpty() ||
         // Counted for other buckets or inputs, as the engine is behind what was just typed.
         (double(observed->buckets) == buckets &&
          (observed->inputs == inputs || observed->inputs.size() != inputs.size())));
    m_hash->setObserved(isCurrent ? &*observed : nullptr);
}

void FeatureEditor::refreshNormalizer()
{
    const auto facts = normalizerFacts(m_commands.source(), m_feature->name);
    m_normalizer->setShown(facts ? shownNormalizer(*facts) : NormalizerPicture());
}

void FeatureEditor::showFacts()
{
    QStringList way;
    for (const FeatureStep& step : m_feature->steps) {
        way.append(step.detail.isEmpty() ? step.word : step.word + ' ' + step.detail);
    }
    QList<KeyValueList::Row> rows{
        {tr("Made from"), m_feature->sources.join(QLatin1String(", ")), {}},
        {tr("Then"), way.join(QStringLiteral(" → ")), {}}};
    if (m_feature->width >= 0) {
        rows.append({tr("Width"), formatCount(m_feature->width), {}});
    }
    if (m_feature->parameters >= 0) {
        const qint64 bytes = m_feature->parameters * qint64{sizeof(float)};
        rows.append({tr("Parameters"), formatCount(m_feature->parameters), {}});
        rows.append({tr("Memory"), formatBytes(bytes),
                     tr("Of the weights; most optimizers keep one or two more numbers for each.")});
    }
    rows.append({tr("Used by"), FeatureListModel::sideWord(m_feature->side), {}});
    m_facts->setRows(rows);
}

} // namespace cannery::ui
