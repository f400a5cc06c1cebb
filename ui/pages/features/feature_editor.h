// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/editing/feature_facts.h"
#include "ui/models/tables/column_facts.h"

#include <QWidget>

#include <optional>

class QLineEdit;
class QVBoxLayout;

namespace cannery::ui {

class BucketEditor;
class Button;
class ExperimentDocument;
class FeatureCommands;
class FieldForm;
class HashEditor;
class KeyValueList;
class InitialTableChoice;
class InputEditor;
class Label;
class NormalizerPlot;
class ProjectSession;
class VocabularyEditor;
class VocabularyFilePanel;
struct MessageSchema;

/// The selected feature column in the inspector: its name, an editor of its own where its kind has
/// one, a form of its other fields, and its size. GUI thread.
class FeatureEditor : public QWidget
{
    Q_OBJECT

public:
    FeatureEditor(ProjectSession& session, FeatureCommands& commands, QWidget* parent = nullptr);

    /// Null if none is selected.
    void setFeature(const FeatureFacts* feature);
    /// Puts the cursor into the name.
    void editName();

private:
    void build();
    void makeEditors(const QString& path);
    void makeValueEditors(const MessageSchema& schema, QStringList& ownFields);
    void makeInputEditors(const MessageSchema& schema, QStringList& ownFields);
    /// Below the form.
    void makeFindings(const MessageSchema& schema);
    /// Of the fields that no editor has.
    void addForm(const QString& path, const QStringList& ownFields);
    void refresh();
    void refreshHash();
    void refreshNormalizer();
    void refreshInitial();
    QStringList inputsOf() const;
    void refreshBuckets();
    void refreshWords();
    QString kindPath() const;
    void write(const QString& field, const QString& value, bool typing);
    void showFacts();

    ProjectSession& m_session;
    ExperimentDocument& m_document;
    FeatureCommands& m_commands;
    std::optional<FeatureFacts> m_feature;
    QString m_built; ///< path and kind that the body is made for

    QLineEdit* m_name;
    Label* m_kind;
    Label* m_help;
    QVBoxLayout* m_body;
    QWidget* m_content = nullptr;
    BucketEditor* m_buckets = nullptr;
    VocabularyEditor* m_words = nullptr;
    VocabularyFilePanel* m_wordsFile = nullptr;
    InputEditor* m_inputs = nullptr;
    InitialTableChoice* m_initial = nullptr;
    HashEditor* m_hash = nullptr;
    NormalizerPlot* m_normalizer = nullptr;
    FieldForm* m_form = nullptr;
    KeyValueList* m_facts;
    QWidget* m_buttons;
};

} // namespace cannery::ui
