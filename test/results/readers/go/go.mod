module readlog

go 1.23.0

require github.com/HdrHistogram/hdrhistogram-go v1.2.0
