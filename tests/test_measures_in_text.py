from __future__ import annotations

import csv
from collections import defaultdict
from importlib import resources

import pytest

from palio import measures
from palio.measures import direction_in, find_measures, measure_named, performance_word

# A text, and behind the arrow what is found in it: names with + (higher is better) or -.
LABELS = r"""
AMI WER => WER-
f1_macro => f1+
top1_err => top1_err-
metrics.rmse => rmse-
win_rate_scene => win_rate+
CoLA (Mcc) => Mcc+
Accuracy ↑ => Accuracy+
NLL (↓) => NLL-
pyod_roc => roc+
pyod_time => time-
Median-HV => HV+
multi_mergedTable_VUS-PR => VUS-PR+
percentage_score_errors_by_dataset => percentage_score_errors-
error_rates => error_rates-
t_acc => acc+
atari_returns => returns+
MeanStd-IGD+ => IGD+-
Mean and Standard Deviation of the IGD+ quality indicator. => IGD+-
Word Error Rate => Word Error Rate-
test accuracy (%) => accuracy+
Train Runtime (mins) => Runtime-
# Parameters => Parameters-
params (M) => params-
FLOPs (B) => FLOPs-
Model Size / MB => Model Size-
Core-Hour => Core-Hour-
参数 => 参数-
测试准确率 (%) => 准确率+
Genauigkeit => Genauigkeit+
Genauigkeit der Modelle => Genauigkeit+
taux d'erreur => taux d'erreur-
Temps (s) => Temps-
Laufzeit [ms] => Laufzeit-
Précision => Précision+
Exactitude => Exactitude+
final return => return+
best std =>
final std =>
accuracy_std =>
time_for_running => time_for_running-
Strain recall => recall+
Strain precision => precision+
duration_sec => duration-
peak_memory_mb => peak_memory-
load_time => load_time-
data_size => data_size-
concurrent_qps => qps+
RTFx => RTFx+
arena_score => arena_score+
votes =>
rank =>
vocabulary_size =>
context =>
ts_len =>
#Samples =>
batch_size =>
n_samples =>
pass_rate_2 => pass_rate_2+
pass@1 => pass@1+
NDCG@10 => NDCG@10+
Recall@5 => Recall@5+
HR@10 => HR@10+
MAP-Elites =>
AccNet =>
ROUGE dataset =>
RecallNet =>
precision oncology =>
Recall-1M =>
IS-Net =>
time series =>
LossNet =>
bitmap =>
Energy Efficiency =>
Time Series Forecasting =>
time_series =>
mixed precision =>
Loss function =>
is_active =>
time_per_tree => time_per_tree-
GD => GD-
IS ↑ => IS+
FID / IS => FID-,IS+
train_accuracy =>
train/accuracy =>
train_loss =>
rank_accuracy =>
Avg. Rank (Accuracy) =>
accuracy drop =>
Accuracy gap => gap-
1 - accuracy =>
Table 1 - Accuracy => Accuracy+
-RMSE =>
neg_log_loss => neg_log_loss+
neg_accuracy =>
valLoss => Loss-
testAccuracy => Accuracy+
rocAuc => rocAuc+
rougeLsum => rougeLsum+
BLEU-4 => BLEU-4+
ROUGE-L => ROUGE-L+
F1 score => F1+
Brier score => Brier score-
R² => R²+
R^2 => R^2+
C-index => C-index+
Accuracy, F1 and ECE => Accuracy+,F1+,ECE-
WER-LibriSpeech =>
accuracy-CIFAR10 => accuracy+
MAE-ViT =>
AUC-Boost =>
DER++ =>
Latency-aware NAS =>
Test Acc (%) => Acc+
Mean acc over folds => acc+
wer_clean other => wer-
Spearman's ρ => Spearman's ρ+
mlogloss => mlogloss-
GD+ => GD+-
wer_clean => wer-
log-loss (lower is better) => log-loss-
Davies–Bouldin => Davies–Bouldin-
Calinski-Harabasz index => Calinski-Harabasz index+
tokens/s => tokens/s+
Speed (tokens/s) => tokens/s+
cost ($) => cost-
Total cost => Total cost-
max_tokens =>
size => size-
Size (MB) => Size-
image size =>
IForest =>
RobustPCA =>
OCSVM =>
ImageNet 1k =>
Memory network =>
Reward model =>
Human-normalised score => Human-normalised score+
human normalized score (median) => human normalized score+
episodic return => episodic return+
top-5 error => top-5 error-
Top 1 Acc. => Top 1 Acc+
EER (%) => EER-
minDCF => minDCF-
bits/dim => bits/dim-
bpd => bpd-
edit similarity => edit similarity+
Exact Match => Exact Match+
% resolved => resolved+
resolved => resolved+
Elo => Elo+
win rate => win rate+
Bestärkungslernen =>
Map => Map+
test_map => map+
mAP => mAP+
mAP@0.5 => mAP@0+
mAP50-95 => mAP50-95+
Average perf. on 38 datasets =>
KMeansAD =>
Accuracy Benchmark =>
p-value =>
std_error =>
TestAccuracy => Accuracy+
wql => wql-
CRPS => CRPS-
sMAPE (%) => sMAPE-
mean pinball loss => mean pinball loss-
CER => CER-
PER => PER-
per =>
TER ↓ => TER-
chrF++ => chrF+++
METEOR => METEOR+
COMET => COMET+
BERTScore => BERTScore+
KID => KID-
MRR@10 => MRR@10+
sgd =>
EP => EP-
epsilon =>
Spread => Spread-
PAR10 => PAR10-
optimality gap => optimality gap-
NMI / ARI / AMI => NMI+,ARI+,AMI+
Dice => Dice+
mIoU => mIoU+
Hausdorff distance (mm) => Hausdorff distance-
ASSD => ASSD-
PSNR/SSIM/LPIPS => PSNR+,SSIM+,LPIPS-
Affiliation-F1 => Affiliation-F1+
AUC-PR => AUC-PR+
perplexity (wikitext) => perplexity-
Episodic Return => Episodic Return+
Elo rating => Elo rating+
latency_p95 => latency_p95-
Throughput (images/s) => Throughput+,images/s+
RTF => RTF-
GFLOPs => GFLOPs-
Price => Price-
House Prices =>
Fehlerrate (%) => Fehlerrate-
Tasa de error => Tasa de error-
Tasso di errore => Tasso di errore-
Acurácia => Acurácia+
Precisión => Precisión+
训练时间 => 训练时间-
错误率 => 错误率-
rank_test_accuracy =>
std_test_accuracy =>
PPV+LSPV =>
ROC curve =>
Accuracy data => Accuracy+
Loss-Net =>
timestamp =>
accuracyNet =>
EuroSAT =>
Gini => Gini+
Accuracy Rank =>
ΔAcc =>
Δ Acc =>
RMSE ± std => RMSE-
F1-Macro => F1+
test_neg_mean_squared_error => neg_mean_squared_error+
"""

PROSE = r"""
We report the negative log-likelihood; lower is better. => negative log-likelihood-
It takes time to recall the cost of this map, which is per class. =>
The score is the gap between them. =>
We report WER on LibriSpeech. => WER-
Wer gewinnt, und wie hoch ist der Wert? =>
The table shows test accuracy (%) of all methods. => accuracy+
MAP-Elites is a quality diversity algorithm. =>
We use time series from the UCR archive. =>
All numbers are RMSE and MAE averaged over 5 folds. => RMSE-,MAE-
ROC AUC and log loss were measured. => ROC AUC+,log loss-
Precision oncology needs large memory. =>
pass@1 on HumanEval => pass@1+
We recall that precision matters and no loss of generality. =>
The mean opinion score was 4. => mean opinion score+
Each model was trained with cross-entropy loss. => cross-entropy loss-
RESULTS PER DATASET IS SHOWN =>
nDCG@10 on BEIR => nDCG@10+
IS and PER are methods. =>
Running time in seconds. => Running time-
The F1 of class 1 => F1+
word error rates were computed with sclite => word error rates-
We compare all methods by their RMSE. => RMSE-
We compare all methods by their rmse. =>
The root mean squared error is averaged over folds. => root mean squared error-
Mean absolute percentage error of the forecasts => Mean absolute percentage error-
Numbers are accuracies in percent. => accuracies+
Higher AUC is better. => AUC+
We use BLEU and chrF2 to score translations. => BLEU+,chrF2+
The log-likelihood of held-out data is shown. => log-likelihood+
Each cell is the F1 score. => F1+
Each cell is the mean average precision. => mean average precision+
Results are NDCG@10 and Recall@100. => NDCG@10+,Recall@100+
Values are ROC-AUC in percent. => ROC-AUC+
The word error rate (WER) of each engine. => word error rate-,WER-
mIoU on the validation set of Cityscapes => mIoU+
We report PSNR and SSIM for each scene. => PSNR+,SSIM+
The FID of 50k samples is reported. => FID-
The hypervolume of the final front. => hypervolume+
Normalised mutual information of the clusters. => Normalised mutual information+
Our R² is 0.8 on average. => R²+
Explained variance is high. => Explained variance+
The win rate against the baseline. => win rate+
Success rate over 100 episodes. => Success rate+
The table contains the error rate of each classifier. => error rate-
We give the Matthews correlation coefficient. => Matthews correlation coefficient+
Expected calibration error and Brier score => Expected calibration error-,Brier score-
Les résultats sont des taux d'erreur. => taux d'erreur-
Die Genauigkeit der Modelle in Prozent. => Genauigkeit+
所有结果均为准确率。 => 准确率+
单位：错误率 => 错误率-
Wir messen die Fehlerrate auf den Testdaten. => Fehlerrate-
La exactitud media de cada modelo. => exactitud+
Throughput in tokens. => Throughput+
The perplexity on WikiText-103 => perplexity-
Its inference time was measured on one GPU. => inference time-
Balanced accuracy was used since classes are skewed. => Balanced accuracy+
We thank the AccNet authors. =>
RecallNet and LossNet are networks. =>
The ROUGE dataset is in French. =>
It was trained on Recall-1M. =>
IS-Net segments images. =>
The time complexity is linear. =>
At this point the cost is high. =>
A larger memory is needed. =>
Return to the main page. =>
Who gets the reward? =>
Please set parameters in the file. =>
Without loss of generality we may assume this. =>
He went to the space station by car. =>
She made no error in the proof. =>
Half precision is used throughout. =>
You may recall the previous section. =>
The gap is closing. =>
The size of the data is small. =>
A map of the city =>
Success is not guaranteed. =>
It is correct. =>
That is resolved now. =>
The disk was full. =>
Dice were thrown. =>
Der Preis ist heiß. =>
Il est rouge et bleu. =>
The comet hit a meteor. =>
The kernel has weight decay. =>
Elapsed since then. =>
"""

# + is higher, - is lower, nothing is not said or both.
DIRECTIONS = r"""
lower is better => -
the lower, the better => -
The lower the better. => -
↓ => -
NLL (↓) => -
Accuracy ↑ => +
(higher = better) => +
(-) => -
(+) => +
minimise => -
to be minimized => -
maximise => +
smaller is better => -
niedriger ist besser => -
je höher, desto besser => +
Größer ist besser => +
plus bas est meilleur => -
plus c'est haut, mieux c'est => +
menor es mejor => -
cuanto mayor, mejor => +
più basso è meglio => -
quanto maior, melhor => +
越低越好 => -
越高越好 => +
lower_is_better => -
higher_is_better=False => -
higher is better: no => -
lower values indicate better performance => -
Lower RMSE is better => -
lower WER means better => -
higher values of AUC are better => +
higher is worse => -
lower is worse => +
lower is better, higher is worse => -
lower is better for RMSE, higher is better for R2 =>
↑/↓ =>
a lower learning rate gives better results =>
lower learning rate is better =>
Larger models are better =>
more training data is better =>
better when lower => -
best = lowest => -
\downarrow => -
accuracy =>
lower bound =>
less is better => -
fewer is better => -
Lower scores are better. => -
(lower better) => -
lower-is-better => -
Higher better => +
lower is not better =>
the best is the lowest => -
the lower the numbers the better => -
higher (better) => +
Bigger is better! => +
low is good => -
Time (lower is faster) => -
We minimise the loss and maximise the margin. =>
Lower is better => -
LOWER IS BETTER => -
WER [%], lower is better => -
RMSE (the smaller the better) => -
higher the better => +
The higher the score, the better. => +
the larger the value the better => +
Greater is better => +
Less is better! => -
score (more is better) => +
Values closer to one; higher values are better => +
↑ better => +
⬆ => +
MSE $\downarrow$ => -
F1 $\uparrow$ => +
Accuracy &uarr; => +
(−) => -
(maximise) => +
minimization => -
geringer ist besser => -
je niedriger, desto besser => -
Höher ist besser => +
plus haut est meilleur => +
plus petit est mieux => -
cuanto menor, mejor => -
más alto es mejor => +
minore è meglio => -
più alto è meglio => +
quanto menor, melhor => -
maior é melhor => +
数值越小越好 => -
lowest is best => -
Highest is best. => +
lower numbers mean better => -
lower latency is better => -
Smaller values denote better results => -
higher scores indicate worse models => -
The worse, the higher =>
in the upper table =>
high accuracy =>
low-rank =>
best =>
The best model is bold. =>
better than the lower baseline =>
higher education =>
Lower Saxony =>
highest bidder =>
a good higher education =>
more is more =>
best of three =>
lower_better = true => -
lower is better is false => +
"""

PERFORMANCE = r"""
Weighted F1-score =>
performance => performance
Average perf. on 38 datasets => perf
zero-shot performance => performance
quality => quality
Score => Score
points => points
data points =>
Performance comparison on UCR => Performance
Leistung => Leistung
performance drop =>
scoreboard =>
Quality of segmentation => Quality
性能对比 => 性能
score_time =>
performance_gpt4 => performance
PerfNet =>
IGD+ quality indicator =>
cost =>
accuracy =>
total points => points
rendimiento => rendimiento
high-performance computing =>
model performance => performance
Performance Counter =>
Perf. => Perf
Overall performance => performance
Overall quality => quality
Main score => Main score
Overall score => score
total score (max. 100) => score
Points => Points
points per game => points
reward => reward
Elo => Elo
final score => score
Final scores => scores
mean score => score
Quality (MOS) => Quality
Qualität => Qualität
Punkte => Punkte
Leistung der Modelle => Leistung
rendimiento medio =>
desempenho => desempenho
prestazioni => prestazioni
calidad => calidad
得分 => 得分
综合性能 => 性能
zero_shot_performance => performance
performance_on_test => performance
Model quality => quality
performances => performances
goodness => goodness
grade => grade
marks => marks
score => score
scores by task => scores
Aggregate points => points
Performance (%) => Performance
Performance on GLUE => Performance
performance, averaged => performance
benchmark performance in percent => performance
Performance of all methods => Performance
Performance results => Performance
Performance vs. cost => Performance
Performance at 100 epochs => Performance
summary of performance => performance
Task performance ↑ => performance
Translation quality => quality
Air Quality Index =>
Water quality measurements =>
WineQuality =>
perfect =>
pointsman =>
power point =>
time points =>
performance gap =>
performance degradation =>
Performance rank =>
Performance std =>
PointNet =>
Point cloud =>
quality control =>
performance_id =>
std performance =>
rank_performance =>
ScoreNet =>
scored =>
Score function =>
drop in performance =>
training performance =>
f1 =>
rmse =>
latency =>
Quality-Diversity =>
grading =>
appointment =>
name =>
"""


def cases(table: str) -> list[tuple[str, str]]:
    pairs = (line.split(" =>") for line in table.strip().splitlines())
    return [(text, expected.strip()) for text, expected in pairs]


def found_in(text: str, *, prose: bool = False) -> str:
    found = find_measures(text, prose=prose)
    return ",".join(f"{each.name}{'+' if each.higher_is_better else '-'}" for each in found)


@pytest.mark.parametrize(("text", "expected"), cases(LABELS))
def test_measures_in_names_and_headings(text: str, expected: str) -> None:
    assert found_in(text) == expected


@pytest.mark.parametrize(("text", "expected"), cases(PROSE))
def test_measures_in_sentences(text: str, expected: str) -> None:
    assert found_in(text, prose=True) == expected


@pytest.mark.parametrize("text", [text for text, _ in cases(LABELS)])
def test_a_found_name_is_known_by_itself(text: str) -> None:
    for each in find_measures(text):
        assert measure_named(each.name).higher_is_better is each.higher_is_better
        assert each.name in each.where


@pytest.mark.parametrize(("text", "expected"), cases(DIRECTIONS))
def test_directions_in_words(text: str, expected: str) -> None:
    assert direction_in(text) is {"+": True, "-": False, "": None}[expected]


@pytest.mark.parametrize(("text", "expected"), cases(PERFORMANCE))
def test_words_that_mean_higher_is_better(text: str, expected: str) -> None:
    assert (performance_word(text) or "") == expected


def test_where_is_the_sentence_of_a_long_text() -> None:
    text = "Nothing is said here. " * 30 + "We report the word error rate. " + "Nor here. " * 30
    (found,) = find_measures(text, prose=True)
    assert "We report the word error rate." in found.where
    assert len(found.where) < 410


def test_a_measure_is_found_once() -> None:
    assert [each.name for each in find_measures("WER, wer; WER")] == ["WER"]


@pytest.mark.parametrize("text", ["", " ", "()", "↑" * 9, "neg_" * 500, "(" * 5000, "1 - " * 500])
def test_hostile_texts_are_read_quickly(text: str) -> None:
    assert find_measures(text) == find_measures(text, prose=True) == []
    assert performance_word(text) is None


def test_every_name_stands_in_one_row_of_the_table() -> None:
    text = (resources.files("palio") / "measures.csv").read_text(encoding="utf-8")
    rows = defaultdict(list)
    for row in csv.DictReader(text.splitlines()):
        assert row["direction"] in ("up", "down")
        assert row["kind"] in ("score", "cost", "performance")
        assert row["scale"] in ("difference", "ratio")
        assert row["kind"] != "cost" or (row["direction"], row["scale"]) == ("down", "ratio")
        for name in row["names"].split():
            rows[measures._squeezed(name)].append(name)
    assert [names for names in rows.values() if len(names) > 1] == []
